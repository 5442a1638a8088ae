import { setTimeout as wait } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { type Api, apiOf, createTenant, type Reply, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { problemFault } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);
const asByDefault = { rateLimitPerMinute: 600, rateLimitBurst: 100 };
const slow = { rateLimitPerMinute: 60, rateLimitBurst: 3 };

async function openWorld(t: ExecutionContext, limit: { rateLimitPerMinute: number; rateLimitBurst: number }) {
  const replicas = await Promise.all([startReplica(databaseOf(), limit), startReplica(databaseOf(), limit)]);
  t.teardown(() => Promise.all(replicas.map(replica => replica.stop())));
  const { token } = await createTenant(databaseOf());
  return { replicas, token, apis: replicas.map(replica => apiOf(replica.url, token)) };
}

test.serial('two replicas let in a burst of 100 together and then ten a second', async t => {
  const { apis } = await openWorld(t, asByDefault);
  const startMs = performance.now();
  const replies = (await Promise.all(apis.flatMap(api => Array.from({ length: 100 }, () => read(api))))).map(statusOf);
  const burstMs = performance.now() - startMs;
  const admitted = replies.filter(status => status === 200).length;
  t.true(admitted >= 100 && admitted <= 101 + Math.ceil(burstMs / 100), `${admitted} in ${burstMs} ms`);
  t.is(replies.filter(status => status === 429).length, 200 - admitted);
  const [seconds, later] = await admittedFor(apis, 2500);
  t.true(later >= seconds * 10 - 5 && later <= seconds * 10 + 5, `${later} in ${seconds} s`);
});

test.serial('a refusal says how long to wait, in header and body alike, and who waits that long gets in', async t => {
  const { apis } = await openWorld(t, slow);
  const api = apis[0] as Api;
  const refused = await untilRefused(api);
  t.is(problemFault(429, String(refused.headers['content-type']), JSON.stringify(refused.body)), null);
  t.is(refused.body.code, 'rate_limited');
  t.true(Number.isInteger(refused.body.retry_after) && refused.body.retry_after >= 1);
  t.is(refused.headers['retry-after'], String(refused.body.retry_after));
  await wait(refused.body.retry_after * 1000);
  t.is((await read(api)).status, 200);
});

test.serial('a refusal takes nothing: knocking all the time does not lengthen the wait', async t => {
  const { apis } = await openWorld(t, slow);
  await untilRefused(apis[0] as Api);
  const [seconds, admitted] = await admittedFor(apis, 3200);
  t.true(admitted >= Math.floor(seconds) - 1 && admitted <= Math.ceil(seconds) + 1, `${admitted} in ${seconds} s`);
});

test.serial('each token has its own limit, and who is refused for another reason pays nothing', async t => {
  const { apis, replicas, token } = await openWorld(t, { rateLimitPerMinute: 1, rateLimitBurst: 3 });
  const api = apis[0] as Api;
  const nobody = apiOf(replicas[0]?.url ?? '', '');
  for (let turn = 0; turn < 10; turn++) t.is((await read(nobody)).status, 401);
  const second = (await api('POST', '/v0/tokens', { name: 'second', scopes: ['project:read'] })).body.token as string;
  const limited = apiOf(replicas[1]?.url ?? '', second);
  for (let turn = 0; turn < 10; turn++) t.is((await limited('GET', '/v0/tokens')).status, 403);
  await untilRefused(api);
  for (let turn = 0; turn < 3; turn++) t.is((await read(limited)).status, 200);
  t.is((await read(limited)).status, 429);
  t.not(second, token);
});

test.serial('what needs no token is not limited', async t => {
  const { replicas } = await openWorld(t, { rateLimitPerMinute: 1, rateLimitBurst: 1 });
  const open = apiOf(replicas[0]?.url ?? '', '');
  for (const path of ['/healthz', '/readyz', '/v0/openapi.json', '/problems/rate_limited'])
    for (let turn = 0; turn < 5; turn++) t.is((await open('GET', path)).status, 200, path);
});

function read(api: Api): Promise<Reply> {
  return api('GET', '/v0/project');
}

function statusOf(reply: Reply): number {
  return reply.status;
}

async function untilRefused(api: Api): Promise<Reply> {
  for (let turn = 0; turn < 100; turn++) {
    const reply = await read(api);
    if (reply.status === 429) return reply;
  }
  throw new Error('nothing was refused');
}

/** Knocks at all replicas for a while; how long it was and how often somebody was let in. */
async function admittedFor(apis: readonly Api[], ms: number): Promise<[number, number]> {
  const startMs = performance.now();
  let admitted = 0;
  const knock = async (api: Api) => {
    while (performance.now() - startMs < ms) if ((await read(api)).status === 200) admitted++;
  };
  await Promise.all(apis.map(knock));
  return [(performance.now() - startMs) / 1000, admitted];
}
