import test, { type ExecutionContext } from 'ava';
import { newBearer } from '#control-plane/platform/secrets/bearer.ts';
import { type Api, apiOf, type Reply, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { problemFault } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);

test.serial('a wrong token does not sign in and sets no cookie', async t => {
  const api = await openApi(t);
  for (const token of ['', 'upq_x', newBearer('upq'), newBearer('upa'), 'a b'.repeat(30)]) {
    const reply = await api('POST', '/dashboard/session', { token });
    refused(t, reply, 401, 'invalid_token');
    t.is(reply.headers['set-cookie'], undefined);
  }
  refused(t, await api('POST', '/dashboard/session', {}), 422, 'validation_failed');
  refused(
    t,
    await api('POST', '/dashboard/session', 'token=1', { 'content-type': 'text/plain' }),
    415,
    'unsupported_media_type',
  );
});

test.serial('sign-ins are rate limited per address', async t => {
  const api = await openApi(t);
  const replies: Reply[] = [];
  for (let attempt = 0; attempt < 60; attempt++)
    replies.push(await api('POST', '/dashboard/session', { token: newBearer('upq') }));
  const refusals = replies.filter(reply => reply.status === 429);
  t.true(refusals.length >= 20, `${refusals.length}`);
  t.true(refusals.every(reply => reply.body.retry_after >= 1 && reply.headers['retry-after'] !== undefined));
});

async function openApi(t: ExecutionContext): Promise<Api> {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  return apiOf(replica.url, '');
}

function refused(t: ExecutionContext, reply: Reply, status: number, code: string, message = ''): void {
  t.is(reply.status, status, message);
  t.is(reply.body.code, code, message);
  t.is(problemFault(status, String(reply.headers['content-type']), JSON.stringify(reply.body)), null, message);
}
