import test from 'ava';
import type { Resource } from '#control-plane/platform/project-limits/quota.ts';
import { setQuota } from '#control-plane/platform/project-limits/quota-store.ts';
import { until, withSql } from '#test/support/control-plane.ts';
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
      { resource: 'agents', maximum: 100, used: 3 },
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
  // On a busy machine some wait so long for the project's lock that they are asked to try again.
  const post = (name: string) =>
    until(
      () => world.post({ name }),
      ({ status }) => status !== 503,
    );
  const replies = await Promise.all(Array.from({ length: 8 }, (_, index) => post(`m${index}`)));
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

const maintenanceNamed = (title: string) => {
  const now = Date.now();
  const [starts_at, ends_at] = [1, 2].map(hours => new Date(now + hours * 3_600_000).toISOString());
  return { title, scope: { selector: '*' }, starts_at, ends_at };
};

const creations: Partial<Record<Resource, readonly [path: string, body: (name: string) => object]>> = {
  tokens: ['/v0/tokens', name => ({ name, scopes: ['monitors:read'] })],
  status_pages: ['/v0/status-pages', name => ({ name, slug: name })],
  webhooks: ['/v0/webhooks', name => ({ url: `https://example.com/${name}`, kinds: ['alert.opened'] })],
  channels: ['/v0/channels', name => ({ type: 'webhook', name, config: { url: `https://example.com/${name}` } })],
  maintenances: ['/v0/maintenances', maintenanceNamed],
  reports: ['/v0/reports', name => ({ name, items: [{ title: 'a', type: 'trend', event: 'a' }] })],
  flows: ['/v0/flows', name => ({ name, steps: [{ event: 'a' }, { event: 'b' }] })],
};

for (const [resource, [path, body]] of Object.entries(creations)) {
  test(`the quota of ${resource} holds where they are created`, async t => {
    const world = await openMonitorWorld(t, database());
    await limit(world.projectId, resource as Resource, resource === 'tokens' ? 2 : 1);
    const name = `quota-${world.projectId.slice(-8)}`;
    t.is((await world.api('POST', path, body(`${name}-1`))).status, 201);
    const refused = await world.api('POST', path, body(`${name}-2`));
    t.is(refused.status, 409);
    const { maximum } = refused.body;
    t.like(refused.body, { code: 'limit_reached', resource, limit: maximum, used: maximum });
  });
}

test('a project may have 100 channels, 100 routes and 500 maintenance windows, and not one more', async t => {
  const { api, projectId } = await openMonitorWorld(t, database());
  const { quotas } = (await api('GET', '/v0/project')).body as { quotas: { resource: string; maximum: number }[] };
  const maximum = (name: string) => quotas.find(({ resource }) => resource === name)?.maximum;
  t.deepEqual(['channels', 'routes', 'maintenances'].map(maximum), [100, 100, 500]);
  const channel = { type: 'webhook', config: { url: 'https://example.com/' } };
  const channelId = (await api('POST', '/v0/channels', { ...channel, name: 'first' })).body.id;
  const route = { name: 'first', steps: [{ after_minutes: 0, channel_ids: [channelId] }] };
  t.is((await api('POST', '/v0/routes', route)).status, 201);
  t.is((await api('POST', '/v0/maintenances', maintenanceNamed('first'))).status, 201);
  await withSql(database(), async sql => {
    await sql.run`
      insert into channels (id, project_id, name, type, sealed_config, detail, enabled, created_at, updated_at)
      select c.id || n, c.project_id, c.name || n, c.type, c.sealed_config, c.detail, c.enabled, c.created_at,
        c.updated_at
      from channels c, generate_series(2, 99) as n
      where c.project_id = ${projectId}`;
    await sql.run`
      insert into routes (id, project_id, name, enabled, position, match, continues, steps, created_at, updated_at)
      select r.id || n, r.project_id, r.name || n, r.enabled, n, r.match, r.continues, r.steps, r.created_at,
        r.updated_at
      from routes r, generate_series(2, 99) as n
      where r.project_id = ${projectId}`;
  });
  const status = async (path: string, body: object) => (await api('POST', path, body)).status;
  const statuses = [];
  for (const name of ['last', 'over']) {
    statuses.push(await status('/v0/channels', { ...channel, name }));
    statuses.push(await status('/v0/routes', { ...route, name }));
  }
  t.deepEqual(statuses, [201, 201, 409, 409]);
  let windows = 1;
  while ((await status('/v0/maintenances', maintenanceNamed(`window ${windows}`))) === 201) windows += 1;
  t.is(windows, 500);
});

test('the quota of routes holds where they are created', async t => {
  const { api, projectId } = await openMonitorWorld(t, database());
  await limit(projectId, 'routes', 1);
  const channel = { type: 'webhook', name: 'one', config: { url: 'https://example.com/' } };
  const channel_ids = [(await api('POST', '/v0/channels', channel)).body.id];
  const post = (name: string) => api('POST', '/v0/routes', { name, steps: [{ after_minutes: 0, channel_ids }] });
  t.is((await post('first')).status, 201);
  const refused = { code: 'limit_reached', resource: 'routes', maximum: 1, limit: 1, used: 1 };
  t.like((await post('second')).body, refused);
});

test('one project at its limit takes nothing from another', async t => {
  const full = await openMonitorWorld(t, database());
  const other = await openMonitorWorld(t, database());
  await limit(full.projectId, 'monitors', 0);
  t.is((await full.post()).status, 409);
  t.is((await other.post()).status, 201);
});
