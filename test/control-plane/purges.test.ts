import { randomUUID } from 'node:crypto';
import test from 'ava';
import { purgeAgents } from '#control-plane/monitoring/agents/revoked-store.ts';
import { purgeMonitors } from '#control-plane/monitoring/checks/purge-monitors.ts';
import { purgeMaintenances } from '#control-plane/monitoring/maintenances/deleted-store.ts';
import { inPortions } from '#control-plane/platform/db/series/portions.ts';
import { identifier, type Sql } from '#control-plane/platform/db/sql.ts';
import { purgeTokens } from '#control-plane/platform/projects/ended-token-store.ts';
import { purgeIncidents } from '#control-plane/publishing/incidents/deleted-store.ts';
import { purgeComponents } from '#control-plane/publishing/status-pages/component-store.ts';
import { purgeStatusPages } from '#control-plane/publishing/status-pages/deleted-store.ts';
import { dayMs } from '#shared/duration.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);
const beforeMs = () => Date.now() - 30 * dayMs;
const run = <Result>(work: (sql: Sql) => Promise<Result>) => withSql(databaseOf(), work);
const count = (table: string, projectId: string) =>
  run(async sql => (await sql.rows`select 1 from ${identifier(table)} where project_id = ${projectId}`).length);
/** As if what has this column set had been deleted some days ago. */
const age = (table: string, column: string, projectId: string, days: number) =>
  run(
    sql => sql.run`
      update ${identifier(table)}
      set ${identifier(column)} = now() - make_interval(days => ${days})
      where project_id = ${projectId} and ${identifier(column)} is not null`,
  );

test('an incident goes with its updates thirty days after it was deleted, no earlier and no other', async t => {
  const { api, page, projectId } = await openStatusWorld(t, databaseOf());
  const open = async (): Promise<string> => {
    const body = {
      title: 'x',
      severity: 'p2',
      status_page_id: page.id,
      initial_update: { state: 'investigating', body: 'first' },
    };
    return (await api('POST', '/v0/incidents', body)).body.id;
  };
  const [kept, deleted] = [await open(), await open()];
  const updates = (await api('GET', `/v0/incidents/${deleted}`)).body.updates as { id: string }[];
  t.is((await api('PATCH', `/v0/incidents/${deleted}/updates/${updates[0]?.id}`, { body: 'second' })).status, 200);
  t.is((await api('DELETE', `/v0/incidents/${deleted}`)).status, 204);
  await age('incidents', 'deleted_at', projectId, 29);
  await run(sql => purgeIncidents(sql, beforeMs()));
  t.is(await count('incidents', projectId), 2);
  await age('incidents', 'deleted_at', projectId, 31);
  await run(sql => purgeIncidents(sql, beforeMs()));
  t.deepEqual(
    (await api('GET', '/v0/incidents')).body.data.map(({ id }: { id: string }) => id),
    [kept],
  );
  for (const [table, rows] of [
    ['incidents', 1],
    ['incident_updates', 1],
    ['incident_update_texts', 0],
  ] as const)
    t.is(await count(table, projectId), rows, table);
});

test('a component that an incident names stays as long as the incident, another goes', async t => {
  const { api, page, component, projectId } = await openStatusWorld(t, databaseOf());
  const other = (await api('POST', '/v0/components', { status_page_id: page.id, name: 'Other' })).body.id;
  const named = { title: 'x', severity: 'p2', status_page_id: page.id, affected_components: [component.id] };
  const incident = (await api('POST', '/v0/incidents', named)).body.id;
  t.is((await api('POST', `/v0/incidents/${incident}/resolve`, { body: 'over' })).status, 200);
  for (const id of [component.id, other]) t.is((await api('DELETE', `/v0/components/${id}`)).status, 204);
  await age('components', 'deleted_at', projectId, 31);
  await run(sql => purgeComponents(sql, beforeMs()));
  t.is(await count('components', projectId), 1);
  t.is((await api('GET', `/v0/incidents/${incident}`)).body.affected_components[0], component.id);
  t.is((await api('DELETE', `/v0/incidents/${incident}`)).status, 204);
  await age('incidents', 'deleted_at', projectId, 31);
  await run(sql => purgeIncidents(sql, beforeMs()));
  await run(sql => purgeComponents(sql, beforeMs()));
  t.is(await count('components', projectId), 0);
});

test('a page goes once its incidents are gone, and its slug stays reserved', async t => {
  const { api, page, component, projectId } = await openStatusWorld(t, databaseOf());
  const body = { title: 'x', severity: 'p2', status_page_id: page.id };
  const incident = (await api('POST', '/v0/incidents', body)).body.id;
  await api('POST', `/v0/incidents/${incident}/resolve`, { body: 'over' });
  await api('DELETE', `/v0/components/${component.id}`);
  t.is((await api('DELETE', `/v0/status-pages/${page.id}`)).status, 204);
  const purge = async () => {
    for (const table of ['status_pages', 'components', 'incidents']) await age(table, 'deleted_at', projectId, 31);
    await run(sql => purgeIncidents(sql, beforeMs()));
    await run(sql => purgeComponents(sql, beforeMs()));
    await run(sql => purgeStatusPages(sql, beforeMs()));
  };
  await purge();
  t.is((await api('GET', `/v0/incidents/${incident}`)).status, 200, 'what happened can still be read');
  await run(sql => sql.run`update incidents set deleted_at = now() where id = ${incident}`);
  await purge();
  for (const table of ['status_pages', 'components', 'incidents', 'page_publications', 'published_documents'])
    t.is(await count(table, projectId), 0, table);
  const stranger = await openStatusWorld(t, databaseOf());
  const taken = await stranger.api('POST', '/v0/status-pages', { name: 'Mine now', slug: page.slug });
  t.deepEqual([taken.status, taken.body.code], [409, 'slug_taken']);
});

test('a deleted maintenance goes with its occurrences', async t => {
  const { api, monitor, projectId } = await openStatusWorld(t, databaseOf());
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const window = { title: 'x', scope: { monitor_ids: [monitor.id] }, starts_at: at(dayMs), ends_at: at(2 * dayMs) };
  const ids = [];
  for (let turn = 0; turn < 2; turn++) ids.push((await api('POST', '/v0/maintenances', window)).body.id);
  t.is((await api('DELETE', `/v0/maintenances/${ids[0]}`)).status, 204);
  await age('maintenances', 'deleted_at', projectId, 31);
  await run(sql => purgeMaintenances(sql, beforeMs()));
  for (const table of ['maintenances', 'maintenance_occurrences', 'maintenance_members'])
    t.is(await count(table, projectId), 1, table);
});

test('tokens go thirty days after their end, makers after what they made; living ones stay', async t => {
  const { api, projectId, apiWith } = await openMonitorWorld(t, databaseOf());
  const maker = await apiWith(['tokens:write', 'monitors:read']);
  const made = (await maker('POST', '/v0/tokens', { name: 'made', scopes: ['monitors:read'] })).body;
  const tokens = (await api('GET', '/v0/tokens')).body.data as { id: string; name: string }[];
  const makerId = tokens.find(({ name }) => name === 'scoped')?.id;
  t.is((await api('DELETE', `/v0/tokens/${makerId}`)).status, 204);
  const expiring = { name: 'soon', scopes: ['monitors:read'], expires_at: new Date(Date.now() + 1000).toISOString() };
  t.is((await api('POST', '/v0/tokens', expiring)).status, 201);
  await age('tokens', 'revoked_at', projectId, 31);
  await run(sql => sql.run`update tokens set expires_at = now() - interval '29 days' where name = 'soon'`);
  for (let turn = 0; turn < 2; turn++) await run(sql => purgeTokens(sql, beforeMs()));
  const names = await run(sql => sql.rows<{ name: string }>`select name from tokens where project_id = ${projectId}`);
  t.false(names.some(({ name }) => name === 'scoped' || name === made.name));
  t.is(names.length, 2);
});

test('agents of private regions go after their revocation, those of shared ones stay with the operator', async t => {
  const { api, regions } = await openMonitorWorld(t, databaseOf());
  const region = regions[0] ?? '';
  const { id } = (await api('POST', '/v0/agents', { region, name: 'lost' })).body;
  t.is((await api('DELETE', `/v0/agents/${id}`)).status, 204);
  await run(sql => sql.run`update agents set revoked_at = now() - interval '31 days' where id = ${id}`);
  await run(sql => sql.run`update regions set project_id = null where code = ${region}`);
  await run(sql => purgeAgents(sql, beforeMs()));
  const rows = () => run(sql => sql.rows`select 1 from agents where id = ${id}`);
  t.is((await rows()).length, 1);
  await run(async sql => {
    await sql.run`update regions set project_id = (select min(id) from projects) where code = ${region}`;
    await purgeAgents(sql, beforeMs());
  });
  t.is((await rows()).length, 0);
});

test('of expired monitors none is left after one run, however many there are', async t => {
  const { api, post, projectId } = await openMonitorWorld(t, databaseOf());
  const { id } = (await post({ name: 'first' })).body;
  t.is((await api('DELETE', `/v0/monitors/${id}`)).status, 204);
  await run(
    sql => sql.run`
    insert into monitors
    select (jsonb_populate_record(m, jsonb_build_object('id', m.id || n, 'name', ${randomUUID()} || n))).*
    from monitors m, generate_series(1, 250) n
    where m.id = ${id}`,
  );
  await age('monitors', 'deleted_at', projectId, 31);
  const replica = await sharedReplica(databaseOf());
  await purgeMonitors(replica.pools.background, beforeMs(), Date.now());
  t.is(await count('monitors', projectId), 0);
});

test('portions are deleted until one is not full', async t => {
  let left = 25;
  const limits: number[] = [];
  const sum = await inPortions(async limit => {
    limits.push(limit);
    const removed = Math.min(limit, left);
    left -= removed;
    return removed;
  }, 10);
  t.deepEqual([sum, left, limits.length], [25, 0, 3]);
});
