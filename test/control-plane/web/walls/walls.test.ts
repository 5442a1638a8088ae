import test, { type ExecutionContext } from 'ava';
import { newBearer } from '#control-plane/platform/secrets/bearer.ts';
import { apiOf, createRegions, createTenant, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { badResults, connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const database = useDatabase(test);

type Tile = { name: string; status: string };

async function openWorld(t: ExecutionContext) {
  const { token, projectId } = await createTenant(database());
  const code = `wall-${projectId.slice(-8)}`;
  const secrets = await createRegions(database(), [code]);
  const replica = await sharedReplica(database());
  const api = apiOf(replica.url, token);
  const look = (secret: string | null) => apiOf(replica.url, secret ?? '')('GET', '/wall/data');
  const make = async (body: object) => {
    const { status, body: made } = await api('POST', '/v0/walls', body);
    t.is(status, 201);
    return { id: made.id as string, secret: (made.url as string).split('#')[1] ?? '', url: made.url as string };
  };
  const post = async (name: string, labels = {}) => {
    const body = { name, url: `https://${name}.example/secret-path`, interval_seconds: 60, regions: [code], labels };
    return (await api('POST', '/v0/monitors', body)).body.id as string;
  };
  return { api, code, replica, look, make, post, token, agentSecret: secrets[code]?.secret ?? '' };
}

test('a screen reads names and states, the worst first, and not where monitors point to', async t => {
  const { api, replica, code, look, make, post, agentSecret } = await openWorld(t);
  const [calm, broken] = [await post('calm'), await post('broken')];
  await post('waiting');
  await api('POST', `/v0/monitors/${await post('paused')}/pause`);
  const agent = await connectFakeAgent(replica.url, agentSecret);
  t.teardown(() => agent[Symbol.asyncDispose]());
  const at = Math.floor(Date.now() / 1000) * 1000 - 2000;
  await agent.report([
    goodResult(calm, at),
    ...badResults(broken, at - 1000, { error: { code: 'timeout', message: 'slow' } }),
  ]);
  const { url, secret } = await make({ name: 'Lobby' });
  t.regex(url, /\/wall#upw_[0-9A-Za-z]{38}$/);
  const names = (body: { monitors: Tile[] }) => body.monitors.map(({ name, status }) => `${name} ${status}`);
  await until(async () => names((await look(secret)).body), ['broken down', 'waiting pending', 'calm up']);
  await until(async () => (await look(secret)).body.monitors[0].code, 'timeout');
  const { body, headers } = await look(secret);
  t.like(body, { name: 'Lobby', project: 'Test', counts: { down: 1, up: 1, pending: 1, paused: 1 } });
  t.like(body.monitors[0], { acknowledged: false, code: 'timeout', regions: [code] });
  t.is(headers['cache-control'], 'no-store');
  t.false(/secret-path|mon_|https?:/.test(JSON.stringify(body)));
});

test('a selector limits what a screen sees', async t => {
  const { api, look, make, post } = await openWorld(t);
  await post('shop', { env: 'prod' });
  await post('trial', { env: 'test' });
  const { secret } = await make({ name: 'Lobby', selector: 'env=prod' });
  const { body } = await look(secret);
  t.deepEqual(
    body.monitors.map(({ name }: Tile) => name),
    ['shop'],
  );
  t.deepEqual(body.counts, { pending: 1 });
  t.is((await api('POST', '/v0/walls', { name: 'x', selector: '=' })).body.errors[0].pointer, '/selector');
});

test('the secret of a link opens nothing else, and nothing once the link is revoked', async t => {
  const { api, replica, look, make, token } = await openWorld(t);
  const { id, secret } = await make({ name: 'Lobby' });
  t.is((await look(secret)).status, 200);
  t.not((await api('GET', '/v0/walls')).body.data[0].last_seen_at, null);
  t.false(JSON.stringify((await api('GET', '/v0/walls')).body).includes(secret));
  for (const path of ['/v0/monitors', '/v0/walls', '/v0/project', '/v0/metrics'])
    t.is((await apiOf(replica.url, secret)('GET', path)).status, 401, path);
  for (const [other, code] of [
    [null, 'missing_token'],
    [token, 'invalid_token'],
    [newBearer('upw'), 'invalid_token'],
    ['upw_x', 'invalid_token'],
  ] as const) {
    const { status, body } = await look(other);
    t.deepEqual([status, body.code], [401, code]);
  }
  const stranger = apiOf(replica.url, (await createTenant(database())).token);
  t.is((await stranger('DELETE', `/v0/walls/${id}`)).status, 404);
  t.is((await api('DELETE', `/v0/walls/${id}`)).status, 204);
  t.is((await look(secret)).status, 401);
});

test('who may not read monitors cannot make a link that does', async t => {
  const { api, replica } = await openWorld(t);
  const { token } = (await api('POST', '/v0/tokens', { name: 'w', scopes: ['walls:write'] })).body;
  t.is((await apiOf(replica.url, token)('POST', '/v0/walls', { name: 'x' })).body.code, 'insufficient_scope');
});
