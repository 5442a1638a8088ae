import test from 'ava';
import type { Resource } from '#control-plane/shares/quota.ts';
import { setQuota } from '#control-plane/shares/quota-store.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const database = useDatabase(test);

const limit = (projectId: string, resource: Resource, maximum: number | null) =>
  withSql(database(), sql => setQuota(sql, projectId, resource, maximum));

test('a project sees its quotas with their use', async t => {
  const world = await openMonitorWorld(t, database());
  await world.post();
  const { quotas } = (await world.api('GET', '/v0/project')).body;
  t.deepEqual(
    quotas.filter(({ used }: { used: number }) => used > 0),
    [
      { resource: 'monitors', maximum: 1000, used: 1 },
      { resource: 'monitor_regions', maximum: 5000, used: 3 },
      { resource: 'tokens', maximum: 100, used: 1 },
    ],
  );
  t.is((await world.api('PATCH', '/v0/project', { quotas: [] })).body.errors[0].code, 'read_only');
});

test('what exceeds a quota is limit_reached with its numbers; a deletion makes room', async t => {
  const world = await openMonitorWorld(t, database());
  await limit(world.projectId, 'monitors', 1);
  const { body } = await world.post({ name: 'first' });
  const refused = await world.post({ name: 'second' });
  t.is(refused.status, 409);
  t.like(refused.body, { code: 'limit_reached', resource: 'monitors', maximum: 1, used: 1 });
  await world.api('DELETE', `/v0/monitors/${body.id}`);
  t.is((await world.post({ name: 'second' })).status, 201);
  t.is((await world.post({ name: 'first' })).body.code, 'limit_reached', 'a revival needs room too');
  await limit(world.projectId, 'monitors', null);
  t.is((await world.post({ name: 'first' })).status, 201);
});

test('of many that want the last place at once exactly one gets it', async t => {
  const world = await openMonitorWorld(t, database());
  await limit(world.projectId, 'monitors', 3);
  const replies = await Promise.all(Array.from({ length: 8 }, (_, index) => world.post({ name: `m${index}` })));
  t.deepEqual(replies.map(({ status }) => status).sort(), [201, 201, 201, 409, 409, 409, 409, 409]);
});

test('regions are counted by monitor, also when one is added later', async t => {
  const world = await openMonitorWorld(t, database());
  await limit(world.projectId, 'monitor_regions', 3);
  const { body } = await world.post({ regions: world.regions.slice(0, 2) });
  t.is((await world.post({ name: 'other', regions: world.regions.slice(0, 2) })).body.resource, 'monitor_regions');
  t.is((await world.patch(body.id, { regions: world.regions })).status, 200);
  t.is((await world.patch(body.id, { name: 'the same regions' })).status, 200);
  await limit(world.projectId, 'monitor_regions', 1);
  t.is((await world.patch(body.id, { regions: world.regions.slice(0, 2) })).status, 200, 'less is always allowed');
});

const creations: Partial<Record<Resource, readonly [path: string, body: (name: string) => object]>> = {
  tokens: ['/v0/tokens', name => ({ name, scopes: ['monitors:read'] })],
  status_pages: ['/v0/status-pages', name => ({ name, slug: name })],
  webhooks: ['/v0/webhooks', name => ({ url: `https://example.com/${name}`, kinds: ['alert.opened'] })],
  flows: ['/v0/flows', name => ({ name, steps: [{ event: 'a' }, { event: 'b' }] })],
};

for (const [resource, [path, body]] of Object.entries(creations)) {
  test(`the quota of ${resource} holds where they are created`, async t => {
    const world = await openMonitorWorld(t, database());
    await limit(world.projectId, resource as Resource, resource === 'tokens' ? 2 : 1);
    const name = `quota-${world.projectId.slice(-8)}`;
    t.is((await world.api('POST', path, body(`${name}-1`))).status, 201);
    t.like((await world.api('POST', path, body(`${name}-2`))).body, { code: 'limit_reached', resource });
  });
}

test('one project at its limit takes nothing from another', async t => {
  const full = await openMonitorWorld(t, database());
  const other = await openMonitorWorld(t, database());
  await limit(full.projectId, 'monitors', 0);
  t.is((await full.post()).status, 409);
  t.is((await other.post()).status, 201);
});
