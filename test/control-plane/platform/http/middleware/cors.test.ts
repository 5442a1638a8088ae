import test from 'ava';
import fc from 'fast-check';
import { headersFor } from '#control-plane/platform/http/middleware/cors.ts';

const known = ['Content-Type', 'Content-Encoding', 'Idempotency-Key', 'X-Request-Id'];
const requests: [requested: string, added: string[]][] = [
  ['', []],
  ['content-type', []],
  ['traceparent,baggage,sentry-trace', ['traceparent', 'baggage', 'sentry-trace']],
  [' X-Datadog-Trace-Id , newrelic, newrelic', ['x-datadog-trace-id', 'newrelic']],
  ['authorization, Authorization, tracestate', ['tracestate']],
  ['a b, c\r\nx: 1, é, "d", e;f, , *', ['*']],
  ['x'.repeat(101), []],
];
for (const [requested, added] of requests)
  test(`a preflight request for ${JSON.stringify(requested)} is granted ${added.join(', ') || 'what is read'}`, t => {
    t.deepEqual(headersFor(requested), [...known, ...added]);
  });

test('whatever is requested, the answer is a list of at most 104 names', t => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.array(fc.stringMatching(/^[a-z-]{1,6}$/), { maxLength: 300 })), requested => {
      const names = headersFor(String(requested));
      t.true(names.length <= 104 && names.every(name => /^[!-~]+$/.test(name) && !/[,:"]/.test(name)));
    }),
  );
  t.pass();
});
