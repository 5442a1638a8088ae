import test from 'ava';
import { apiOf, createRegions, createTenant, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const database = useDatabase(test);

test('a project creates agents of its own regions, which connect with the secret until they are revoked', async t => {
  const { token, projectId } = await createTenant(database());
  await createRegions(database(), ['own-a'], projectId);
  const replica = await sharedReplica(database());
  const api = apiOf(replica.url, token);
  const made = await api('POST', '/v0/agents', { region: 'own-a', name: 'rack 7' });
  t.is(made.status, 201);
  t.like(made.body, { region: 'own-a', name: 'rack 7', state: 'offline', private: true });
  t.is((await api('POST', '/v0/agents', { region: 'own-a', name: 'rack 7' })).body.code, 'name_taken');
  const agent = await connectFakeAgent(replica.url, made.body.secret);
  const find = async () =>
    (await api('GET', '/v0/agents')).body.data.find(({ id }: { id: string }) => id === made.body.id);
  await until(async () => (await find())?.state, 'online');
  t.false(JSON.stringify(await find()).includes(made.body.secret));
  t.is((await api('DELETE', `/v0/agents/${made.body.id}`)).status, 204);
  t.is(await agent.closed, 4001);
  t.is(await find(), undefined);
  t.is((await api('DELETE', `/v0/agents/${made.body.id}`)).status, 404);
  t.is((await api('POST', '/v0/agents', { region: 'own-a', name: 'rack 7' })).status, 201, 'the name is free again');
});

test('agents of shared regions are for the operator alone, those of another project for nobody else', async t => {
  const { token, projectId } = await createTenant(database());
  const operator = await createTenant(database(), ['*', 'agents:operate']);
  const shared = await createRegions(database(), ['shared-a']);
  const own = await createRegions(database(), ['own-b'], projectId);
  const replica = await sharedReplica(database());
  const [customer, host] = [apiOf(replica.url, token), apiOf(replica.url, operator.token)];
  const refused = await customer('POST', '/v0/agents', { region: 'shared-a', name: 'mine' });
  t.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '/region']);
  t.is((await customer('DELETE', `/v0/agents/${shared['shared-a']?.id}`)).status, 404);
  t.is((await host('POST', '/v0/agents', { region: 'own-b', name: 'theirs' })).status, 422);
  t.is((await host('DELETE', `/v0/agents/${own['own-b']?.id}`)).status, 404);
  t.is((await host('POST', '/v0/agents', { region: 'shared-a', name: 'second' })).status, 201);
  t.is((await host('DELETE', `/v0/agents/${shared['shared-a']?.id}`)).status, 204);
});

test('a region says how many monitors of the project have no vote there, and when it last had a result', async t => {
  const { token } = await createTenant(database());
  const secrets = await createRegions(database(), ['shared-c']);
  const replica = await sharedReplica(database());
  const api = apiOf(replica.url, token);
  const find = async () =>
    (await api('GET', '/v0/regions')).body.data.find(({ code }: { code: string }) => code === 'shared-c');
  t.like(await find(), { private: false, monitors: 0, monitors_without_vote: 0, last_result_at: null });
  const post = (name: string) =>
    api('POST', '/v0/monitors', { name, url: 'https://a.example', interval_seconds: 60, regions: ['shared-c'] });
  const { id } = (await post('a')).body;
  await post('b');
  t.like(await find(), { monitors: 2, monitors_without_vote: 2, quarantined_since: null });
  const agent = await connectFakeAgent(replica.url, secrets['shared-c']?.secret ?? '');
  t.teardown(() => agent[Symbol.asyncDispose]());
  await agent.report([goodResult(id, Math.floor(Date.now() / 1000) * 1000 - 2000)]);
  await until(async () => (await find()).monitors_without_vote, 1);
  t.true(Math.abs(Date.parse((await find()).last_result_at) - Date.now()) < 60_000);
});
