import test from 'ava';
import { Problem } from '#control-plane/platform/http/problem.ts';
import { createRequestBulkheads } from '#control-plane/platform/project-limits/request-bulkheads.ts';

test('what may not even wait is answered with 503 and Retry-After, and what nobody waits for with 408', async t => {
  const { connections } = createRequestBulkheads().reports;
  const gone = new AbortController();
  const leave = await connections.enter('a');
  const waiting = [1, 2, 3].map(() => connections.enter('a'));
  const left = t.throwsAsync(connections.enter('a', gone.signal), { instanceOf: Problem });
  const refused = await t.throwsAsync(connections.enter('a'), { instanceOf: Problem });
  t.deepEqual([refused?.code, refused?.details.retryAfter], ['unavailable', 1]);
  gone.abort();
  t.is((await left)?.code, 'request_timeout');
  leave();
  for (const next of waiting) (await next)();
  t.is(connections.size, 0);
});
