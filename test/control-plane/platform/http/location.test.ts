import test from 'ava';
import { apiOf, createRegions, createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);

test('the Location of a token, a wallboard link and an agent can be read, and shows no secret', async t => {
  const { token, projectId } = await createTenant(database());
  await createRegions(database(), ['own-location'], projectId);
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, token);
  const other = apiOf(replica.url, (await createTenant(database())).token);
  const bodies = {
    '/v0/tokens': { name: 'CI', scopes: ['monitors:read'] },
    '/v0/walls': { name: 'Operations room' },
    '/v0/secrets': { name: 'LOCATED', value: 'a long value' },
    '/v0/agents': { region: 'own-location', name: 'rack 7' },
  };
  for (const [path, body] of Object.entries(bodies)) {
    const created = await api('POST', path, body);
    t.is(created.status, 201, path);
    const location = String(created.headers.location);
    const found = await api('GET', location);
    t.is(found.status, 200, location);
    t.is(found.body.id, created.body.id, location);
    for (const secret of ['token', 'secret', 'url']) t.is(found.body[secret], undefined, `${location} ${secret}`);
    t.is((await other('GET', location)).status, 404, location);
    await api('DELETE', location);
  }
});
