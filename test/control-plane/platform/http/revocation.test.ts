import test, { type ExecutionContext } from 'ava';
import WebSocket from 'ws';
import { revokeAgent } from '#control-plane/monitoring/agents/store.ts';
import { createToken } from '#control-plane/platform/projects/create-token.ts';
import { newBearer } from '#control-plane/platform/secrets/bearer.ts';
import type { Clock } from '#shared/clock.ts';
import { closeCodes } from '#shared/protocol/close-codes.ts';
import { subprotocol } from '#shared/protocol/messages.ts';
import { wait } from '#shared/wait.ts';
import {
  type Api,
  apiOf,
  createRegions,
  createTenant,
  startReplica,
  until,
  withSql,
} from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent } from '#test/support/fake-agent.ts';
import { problemFault } from '#test/support/problem.ts';
import { sharedPair } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
/** Five seconds are promised, and a busy machine takes longer. */
const closedWithinMs = 25_000;

async function startPair(t: ExecutionContext, clock: Clock) {
  const replicas = await Promise.all([startReplica(databaseOf(), {}, clock), startReplica(databaseOf(), {}, clock)]);
  t.teardown(() => Promise.all(replicas.map(replica => replica.stop())));
  return replicas;
}

/** A project on the two replicas of the file, or with a clock on two of its own. */
async function openWorld(t: ExecutionContext, clock?: Clock) {
  const replicas = await (clock === undefined ? sharedPair(databaseOf()) : startPair(t, clock));
  const tenant = await createTenant(databaseOf());
  const region = `revoke-${tenant.projectId.slice(-10)}`;
  const agents = await createRegions(databaseOf(), [region], tenant.projectId);
  const agent = agents[region] ?? { id: '', secret: '' };
  const urls = replicas.map(replica => replica.url);
  return { ...tenant, urls, agent, replicas, apis: urls.map(url => apiOf(url, tenant.token)) };
}

test.serial('a revoked token is refused from the next request on, on every replica, also under load', async t => {
  const { urls, apis } = await openWorld(t);
  const owner = apis[0] as Api;
  const made = (await owner('POST', '/v0/tokens', { name: 'short', scopes: ['project:read'] })).body;
  const callers = urls.map(url => apiOf(url, made.token));
  for (const call of callers) t.is((await call('GET', '/v0/project')).status, 200);
  let revoked = false;
  const hammer = callers.map(async call => {
    const last = await until(
      async () => ({ isLate: revoked, answer: await call('GET', '/v0/project') }),
      ({ isLate }) => isLate,
    );
    return last.answer;
  });
  t.is((await owner('DELETE', `/v0/tokens/${made.id}`)).status, 204);
  revoked = true;
  for (const answer of await Promise.all(hammer))
    t.deepEqual([answer.status, answer.body.code], [401, 'token_revoked']);
});

test.serial(
  'revoking again is no error and keeps the first time; the list shows it; a token may revoke itself',
  async t => {
    const { apis } = await openWorld(t);
    const [owner, other] = apis as [Api, Api];
    const made = (await owner('POST', '/v0/tokens', { name: 'twice', scopes: ['project:read'] })).body;
    t.is((await owner('DELETE', `/v0/tokens/${made.id}`)).status, 204);
    const shown = async () =>
      (await other('GET', '/v0/tokens')).body.data.find((token: { id: string }) => token.id === made.id);
    const { revoked_at } = await shown();
    t.truthy(revoked_at);
    t.is((await other('DELETE', `/v0/tokens/${made.id}`)).status, 204);
    t.is((await shown()).revoked_at, revoked_at);
    t.is((await shown()).token, undefined);
    const own = (await owner('GET', '/v0/tokens')).body.data.at(-1);
    t.is((await owner('DELETE', `/v0/tokens/${own.id}`)).status, 204);
    t.is((await other('GET', '/v0/tokens')).body.code, 'token_revoked');
  },
);

test.serial('a token expires on every replica at its time, and no token with a past expiry is created', async t => {
  let nowMs = Date.now();
  const { urls, apis, projectId } = await openWorld(t, { now: () => nowMs });
  const expiresAt = nowMs + 60_000;
  const { token } = await withSql(databaseOf(), sql =>
    createToken(sql, { projectId, name: 'brief', scopes: ['*'], expiresAt }, Date.now()),
  );
  const callers = urls.map(url => apiOf(url, token));
  nowMs = expiresAt - 1;
  for (const call of callers) t.is((await call('GET', '/v0/project')).status, 200);
  nowMs = expiresAt;
  for (const call of callers) t.is((await call('GET', '/v0/project')).body.code, 'token_expired');
  const past = await (apis[0] as Api)('POST', '/v0/tokens', {
    name: 'past',
    scopes: ['nothing:read', 'project:read'],
    expires_at: '2020-01-01T00:00:00Z',
  });
  t.is(past.status, 422);
});

test.serial(
  'a revoked agent is disconnected with 4001 from any replica within five seconds, and cannot reconnect',
  async t => {
    const { urls, agent, projectId } = await openWorld(t);
    for (const [index, url] of urls.entries()) {
      const { id, secret } = index === 0 ? agent : await anotherAgent(projectId, index);
      const connected = await connectFakeAgent(url, secret);
      t.true(await withSql(databaseOf(), sql => revokeAgent(sql, id, Date.now())));
      t.is(await closedWithin(connected.closed, closedWithinMs), closeCodes.revoked);
      for (const other of urls) {
        const refusal = await refusalOf(other, secret);
        t.is(refusal.status, 401);
        t.is(problemFault(401, refusal.type, refusal.body), null);
        t.is(JSON.parse(refusal.body).code, 'invalid_token');
      }
    }
  },
);

test.serial('an agent revoked between its connection and its hello is disconnected too', async t => {
  const { urls, agent } = await openWorld(t);
  const socket = new WebSocket(`${urls[0]?.replace(/^http/, 'ws')}/v0/agents/connect`, subprotocol, {
    headers: { authorization: `Bearer ${agent.secret}` },
  });
  socket.on('error', () => undefined);
  const closed = new Promise<number>(resolve => socket.once('close', resolve));
  await new Promise(resolve => socket.once('open', resolve));
  await withSql(databaseOf(), sql => revokeAgent(sql, agent.id, Date.now()));
  const held = { revision: 0, digest: '' };
  const spool = { count: 0, bytes: 0, dropped: 0 };
  const messages: string[] = [];
  socket.on('message', data => messages.push(String(data)));
  socket.send(JSON.stringify({ type: 'hello', protocol: 1, version: 'fake', boot_id: 'fake', held, spool }));
  t.is(await closedWithin(closed, closedWithinMs), closeCodes.revoked);
  t.deepEqual(messages, [], 'it was not even welcomed');
});

test.serial('a revoked agent leaves the lists, and its region no longer counts it', async t => {
  const { urls, apis, agent } = await openWorld(t);
  await using connected = await connectFakeAgent(urls[0] ?? '', agent.secret);
  const api = apis[1] as Api;
  const region = (await api('GET', '/v0/agents')).body.data[0].region;
  const counts = async () => {
    const regions = (await api('GET', '/v0/regions?limit=200')).body.data as {
      code: string;
      agents_total: number;
      agents_online: number;
    }[];
    const found = regions.find(({ code }) => code === region);
    return [found?.agents_total, found?.agents_online];
  };
  await until(counts, ([total, online]) => total === 1 && online === 1);
  await withSql(databaseOf(), sql => revokeAgent(sql, agent.id, Date.now()));
  t.deepEqual(await counts(), [0, 0]);
  t.deepEqual((await api('GET', '/v0/agents')).body.data, []);
  t.is(await closedWithin(connected.closed, closedWithinMs), closeCodes.revoked);
});

test.serial(
  'a connection without an agent’s secret, or to another protocol or path, is answered with a problem',
  async t => {
    const { urls, agent, token } = await openWorld(t);
    const url = urls[0] ?? '';
    const cases: [string, string | null, string, number, string][] = [
      ['/v0/agents/connect', null, subprotocol, 401, 'missing_token'],
      ['/v0/agents/connect', token, subprotocol, 401, 'invalid_token'],
      ['/v0/agents/connect', newBearer('upa'), subprotocol, 401, 'invalid_token'],
      ['/v0/agents/connect', 'upa_short', subprotocol, 401, 'invalid_token'],
      ['/v0/agents/connect', agent.secret, 'something', 400, 'invalid_parameter'],
      ['/v0/agents/connect/', agent.secret, subprotocol, 404, 'not_found'],
      ['/v0/project', token, subprotocol, 404, 'not_found'],
    ];
    for (const [path, secret, protocol, status, code] of cases) {
      const refusal = await refusalOf(url, secret, path, protocol);
      t.is(refusal.status, status, `${path} ${secret}`);
      t.is(problemFault(status, refusal.type, refusal.body), null);
      t.is(JSON.parse(refusal.body).code, code, `${path} ${secret}`);
    }
    t.is((await apiOf(url, agent.secret)('GET', '/v0/project')).body.code, 'invalid_token');
  },
);

async function anotherAgent(projectId: string, index: number): Promise<{ id: string; secret: string }> {
  const region = `revoke-${index}-${projectId.slice(-10)}`;
  const made = (await createRegions(databaseOf(), [region], projectId))[region];
  if (made === undefined) throw new Error('the region was not made');
  return made;
}

function closedWithin(closed: Promise<number>, ms: number): Promise<number | null> {
  return Promise.race([closed, wait(ms, { ref: false }).then(() => null)]);
}

/** How the server answers an upgrade that it refuses. */
function refusalOf(
  url: string,
  secret: string | null,
  path = '/v0/agents/connect',
  protocol = subprotocol,
): Promise<{ status: number; type: string; body: string }> {
  const headers: Record<string, string> = secret === null ? {} : { authorization: `Bearer ${secret}` };
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, protocol, { headers });
  return new Promise((resolve, reject) => {
    socket.on('error', () => undefined);
    socket.on('open', () => {
      socket.close();
      reject(new Error('the socket was opened'));
    });
    socket.on('unexpected-response', (_, response) => {
      let body = '';
      response.on('data', chunk => {
        body += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: String(response.headers['content-type']), body }),
      );
    });
  });
}
