import test, { type ExecutionContext } from 'ava';
import { createToken } from '#control-plane/platform/projects/create-token.ts';
import { type Api, apiOf, createTenant, type Reply, startReplica, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { problemFault } from '#test/support/problem.ts';
import { openRaw, writeRequest } from '#test/support/raw-connection.ts';
import { sharedPair } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
const asByDefault = { rateLimitPerMinute: 600, rateLimitBurst: 100 };
/** So slow that nothing comes back while a test runs. */
const oneAMinute = { rateLimitPerMinute: 1, rateLimitBurst: 3 };
const slow = { rateLimitPerMinute: 60, rateLimitBurst: 3 };

type Limit = { rateLimitPerMinute: number; rateLimitBurst: number };

async function startPair(t: ExecutionContext, limit: Limit) {
  const replicas = await Promise.all([startReplica(databaseOf(), limit), startReplica(databaseOf(), limit)]);
  t.teardown(() => Promise.all(replicas.map(replica => replica.stop())));
  return replicas;
}

/** A project on two replicas: those of the file have the limit of most tests. */
async function openWorld(t: ExecutionContext, limit: Limit) {
  const replicas = await (limit === oneAMinute ? sharedPair(databaseOf(), limit) : startPair(t, limit));
  const { projectId, token, tokenId } = await createTenantWithTokenId();
  return { replicas, projectId, token, tokenId, apis: replicas.map(replica => apiOf(replica.url, token)) };
}

test.serial('two replicas together admit a burst of 100 and then ten per second', async t => {
  const { apis } = await openWorld(t, asByDefault);
  const startMs = performance.now();
  const replies: number[] = [];
  // A busy machine could not answer all of them at once within the time for a connection.
  for (let part = 0; part < 5; part++) {
    const answers = await Promise.all(apis.flatMap(api => Array.from({ length: 20 }, () => read(api))));
    replies.push(...answers.map(statusOf));
  }
  const burstMs = performance.now() - startMs;
  const admitted = replies.filter(status => status === 200).length;
  t.true(admitted >= 100 && admitted <= 101 + Math.ceil(burstMs / 100), `${admitted} in ${burstMs} ms`);
  t.is(replies.filter(status => status === 429).length, 200 - admitted);
  const { admitted: later, late } = await admittedFor(apis, { ms: 2500, everyMs: 100, admittedMin: 10 });
  t.deepEqual(late, []);
  // The bucket fills again while the burst is worked off.
  const inAll = (performance.now() - startMs) / 1000;
  t.true(admitted + later <= 105 + inAll * 10, `${admitted} and ${later} in ${inAll} s`);
});

test.serial(
  'a refusal says how long to wait, in header and body, and after that time a request is admitted',
  async t => {
    const { apis, tokenId } = await openWorld(t, slow);
    const api = apis[0] as Api;
    const refused = await untilRefused(api);
    t.is(problemFault(429, String(refused.headers['content-type']), JSON.stringify(refused.body)), null);
    t.is(refused.body.code, 'rate_limited');
    t.true(Number.isInteger(refused.body.retry_after) && refused.body.retry_after >= 1);
    t.is(refused.headers['retry-after'], String(refused.body.retry_after));
    await ageBucket(tokenId, refused.body.retry_after);
    t.is((await read(api)).status, 200);
  },
);

test.serial('a refusal takes nothing: requests during the wait do not lengthen it', async t => {
  const { apis, tokenId } = await openWorld(t, oneAMinute);
  const api = apis[0] as Api;
  await untilRefused(api);
  for (let turn = 0; turn < 10; turn++) t.is((await read(api)).status, 429);
  await ageBucket(tokenId, 60);
  t.is((await read(api)).status, 200);
});

test.serial('each token has its own limit, and a request refused for another reason costs nothing', async t => {
  const { apis, replicas, token } = await openWorld(t, oneAMinute);
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

test.serial(
  'all tokens of a project together have five times the limit of one, and another project its own',
  async t => {
    const { apis, replicas, projectId } = await openWorld(t, oneAMinute);
    const url = replicas[1]?.url ?? '';
    const tokens = await withSql(databaseOf(), async sql => {
      const make = () =>
        createToken(sql, { projectId, name: 'one of many', scopes: ['*'], expiresAt: null }, Date.now());
      return [await make(), await make(), await make(), await make(), await make(), await make()];
    });
    let admitted = 0;
    for (const { token } of tokens)
      for (let turn = 0; turn < 4; turn++) if ((await read(apiOf(url, token))).status === 200) admitted++;
    t.is(admitted, 15);
    t.is((await read(apis[0] as Api)).status, 429, 'whose own bucket is full');
    const other = await createTenant(databaseOf());
    t.is((await read(apiOf(url, other.token))).status, 200);
  },
);

test.serial('a refused request is not read, and answers say what is left', async t => {
  const { apis, replicas, token } = await openWorld(t, oneAMinute);
  const first = await read(apis[0] as Api);
  t.is(first.headers['ratelimit-policy'], '"requests";q=1;w=60');
  t.regex(String(first.headers.ratelimit), /^"requests";r=2;t=\d+$/);
  const refused = await untilRefused(apis[0] as Api);
  t.regex(String(refused.headers.ratelimit), /^"requests";r=0;t=\d+$/);
  await using connection = await openRaw(replicas[0]?.port ?? 0);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': '1000' };
  const answer = await connection.exchange(writeRequest('POST', '/v0/tokens', headers));
  t.is(answer?.status, 429, 'although the body never comes');
});

test.serial('a call that costs more says what is left after all of it', async t => {
  const { apis } = await openWorld(t, { rateLimitPerMinute: 1, rateLimitBurst: 50 });
  const { status, headers } = await (apis[0] as Api)('GET', '/v0/metrics');
  t.is(status, 200);
  t.regex(String(headers.ratelimit), /^"requests";r=40;/);
});

test.serial('a dashboard session has a bucket of its own', async t => {
  const { apis, replicas, token } = await openWorld(t, oneAMinute);
  await untilRefused(apis[0] as Api);
  const browser = apiOf(replicas[0]?.url ?? '', '');
  const signedIn = await browser('POST', '/dashboard/session', { token });
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
  const call = () =>
    browser('GET', '/v0/project', undefined, { cookie, 'x-csrf-token': signedIn.body.csrf_token as string });
  for (const status of [200, 200, 200, 429]) t.is((await call()).status, status);
});

test.serial('requests without a token are not limited where none is needed', async t => {
  const { replicas } = await openWorld(t, oneAMinute);
  const open = apiOf(replicas[0]?.url ?? '', '');
  for (const path of ['/healthz', '/readyz', '/v0/openapi.json', '/problems/rate_limited'])
    for (let turn = 0; turn < 5; turn++) t.is((await open('GET', path)).status, 200, path);
});

async function createTenantWithTokenId(): Promise<{ projectId: string; token: string; tokenId: string }> {
  const { projectId, token } = await createTenant(databaseOf());
  const row = await withSql(
    databaseOf(),
    sql => sql.row<{ id: string }>`select id from tokens where project_id = ${projectId}`,
  );
  return { projectId, token, tokenId: row?.id ?? '' };
}

/** Moves the last charge of a token into the past, as if the seconds had gone by. */
async function ageBucket(tokenId: string, seconds: number): Promise<void> {
  const aged = await withSql(
    databaseOf(),
    sql => sql.run`
      update rate_buckets set at = at - make_interval(secs => ${seconds})
      where key = ${`token ${tokenId}`}`,
  );
  if (aged !== 1) throw new Error('the token has no bucket');
}

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

type Asked = { sentMs: number; answeredMs: number; isAdmitted: boolean };
type Asking = { ms: number; everyMs: number; admittedMin: number };

/**
 * Sends requests to all replicas, whose bucket is empty, for at least so long and until so many are admitted; `late`
 * are those refused although one is admitted every `everyMs`, and none was since they were that old.
 */
async function admittedFor(apis: readonly Api[], { ms, everyMs, admittedMin }: Asking) {
  const startMs = performance.now();
  const asked: Asked[] = [];
  const admitted = () => asked.filter(({ isAdmitted }) => isAdmitted);
  const send = async (api: Api) => {
    while (performance.now() - startMs < ms || admitted().length < admittedMin) {
      const sentMs = performance.now();
      const isAdmitted = (await read(api)).status === 200;
      asked.push({ sentMs, answeredMs: performance.now(), isAdmitted });
    }
  };
  await Promise.all(apis.map(send));
  const lastBefore = (answeredMs: number) =>
    Math.max(startMs, ...admitted().flatMap(one => (one.sentMs < answeredMs ? [one.answeredMs] : [])));
  const late = asked.filter(one => !one.isAdmitted && one.sentMs - lastBefore(one.answeredMs) > everyMs + 50);
  return { seconds: (performance.now() - startMs) / 1000, admitted: admitted().length, late };
}
