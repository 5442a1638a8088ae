import test from 'ava';
import { instant } from '#control-plane/platform/db/sql.ts';
import { dayMs } from '#shared/duration.ts';
import { apiOf, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);

test('each change of a monitor says who made it, what differs, and which version it made', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id } = (await world.post({ name: 'Shop check' })).body;
  await world.api('PATCH', `/v0/monitors/${id}`, { interval_seconds: 120 });
  await world.api('PATCH', `/v0/monitors/${id}`, { labels: { team: 'web' } });
  const path = `/v0/monitors/${id}/versions`;
  const { data } = (await world.api('GET', path)).body;
  type Change = { action: string; config_version: number | null };
  t.deepEqual(
    data.map(({ action, config_version }: Change) => [action, config_version]),
    [
      ['monitor.updated', null],
      ['monitor.updated', 2],
      ['monitor.created', 1],
    ],
  );
  t.like(data[0], { before: { labels: {} }, after: { labels: { team: 'web' } }, via: 'api' });
  t.is(data[1].after.interval_seconds, 120);
  t.is(data[1].actor.type, 'token');
  const first = (await world.api('GET', `${path}?limit=1`)).body;
  const next = (await world.api('GET', `${path}?limit=1&cursor=${first.pagination.next_cursor}`)).body;
  t.deepEqual([...first.data, ...next.data], data.slice(0, 2));
  const reader = (await world.api('POST', '/v0/tokens', { name: 'r', scopes: ['monitors:read'] })).body.token;
  t.is((await apiOf(world.url, reader)('GET', path)).body.code, 'insufficient_scope');
  t.is((await world.api('GET', '/v0/monitors/mon_none/versions')).status, 404);
});

test('a monitor may have 5,000 versions in 31 days, however they are made', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const create = async (name: string) => String((await world.post({ name })).body.id);
  const number = (id: string, version: number) =>
    withSql(databaseOf(), async sql => {
      await sql.run`update monitors set config_version = ${version}, rules_version = ${version} where id = ${id}`;
      await sql.run`update monitor_states set config_version = ${version} where monitor_id = ${id}`;
    });
  const age = (id: string, days: number) =>
    withSql(databaseOf(), async sql => {
      const at = instant(Date.now() - days * dayMs);
      await sql.run`update monitor_versions set at = ${at} where monitor_id = ${id} and config_version = 1`;
      await sql.run`update alert_rule_versions set at = ${at} where monitor_id = ${id} and rules_version = 1`;
    });
  const id = await create('often changed');
  const rules = { alert_rules: { degraded: { after_seconds: 60 } } };
  await number(id, 4999);
  t.is((await world.patch(id, { interval_seconds: 120 })).status, 200, 'the 5,000th');
  const refused = [
    await world.patch(id, { interval_seconds: 60 }),
    await world.api('POST', `/v0/monitors/${id}/pause`),
    await world.api('PATCH', `/v0/monitors/${id}`, { regions: world.regions.slice(0, 2) }),
  ];
  t.deepEqual(
    refused.map(({ status, body }) => [status, body.code]),
    refused.map(() => [409, 'limit_reached']),
  );
  t.regex(refused[0]?.body.detail, /^the monitor was changed 5000 times in 31 days; the next change is possible at 20/);
  const bulk = await world.api('POST', '/v0/monitors/bulk', { action: 'pause', ids: [id] });
  t.like(bulk.body.items?.[0], { outcome: 'failed', problem: { code: 'limit_reached' } });
  t.is((await world.patch(id, { name: 'renamed' })).status, 200, 'a name is no version');
  await number(id, 5000);
  t.is((await world.patch(id, rules)).body.code, 'limit_reached');
  t.is((await world.api('DELETE', `/v0/monitors/${id}`)).status, 204);
  t.is((await world.post({ name: 'renamed' })).body.code, 'limit_reached', 'its restoration is one more');

  const older = await create('changed long ago');
  await number(older, 5000);
  await age(older, 32);
  t.is((await world.patch(older, { interval_seconds: 120 })).status, 200);
  t.is((await world.patch(older, rules)).status, 200);
});
