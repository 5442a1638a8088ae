import test from 'ava';
import { insertAlert } from '#control-plane/monitoring/alerts/store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { describeOverview } from '#control-plane/web/dashboard/app/features/overview/words.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);

test('the overview counts what the project has by state, and hides what the token may not see', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const other = await openMonitorWorld(t, databaseOf());
  await other.post({ name: 'of another project' });
  const first = (await world.post({ name: 'a' })).body;
  const second = (await world.post({ name: 'b' })).body;
  await world.api('POST', `/v0/monitors/${second.id}/pause`);
  const third = (await world.post({ name: 'd' })).body;
  await world.api('DELETE', `/v0/monitors/${(await world.post({ name: 'c' })).body.id}`);
  const page = (await world.api('POST', '/v0/status-pages', { name: 'Acme' })).body;
  await world.api('POST', '/v0/incidents', { status_page_id: page.id, title: 'Slow', severity: 'p3' });
  const done = { status_page_id: page.id, title: 'Over', severity: 'p3' };
  const { id } = (await world.api('POST', '/v0/incidents', done)).body;
  await world.api('POST', `/v0/incidents/${id}/resolve`, { body: 'Fixed.' });
  const insert = (sql: Sql, monitorId: string, kind: 'down' | 'degraded', held: boolean) =>
    insertAlert(
      sql,
      {
        projectId: world.projectId,
        monitorId,
        kind,
        held,
        rulesVersion: 1,
        openedAt: Date.now(),
        title: 'a is down',
        severity: 'p1',
        regionsFailing: [],
        regions: [],
        quorum: 1,
        labels: {},
        reason: { summary: 'x', region: null, expected: null, actual: null, status_code: null, error_code: null },
        startedAt: Date.now(),
      },
      Date.now(),
    );
  // The window is there before the held alert: one that is in no window is released.
  const planned = {
    title: 'Upgrade',
    scope: { monitor_ids: [first.id, second.id] },
    starts_at: new Date(Date.now() - 60_000).toISOString(),
    ends_at: new Date(Date.now() + 3_600_000).toISOString(),
  };
  t.is((await world.api('POST', '/v0/maintenances', planned)).status, 201);
  await withSql(databaseOf(), async sql => {
    // One that is degraded counts like one that is down.
    await insert(sql, third.id, 'degraded', false);
    await insert(sql, first.id, 'down', true);
  });
  const { status, body } = await world.api('GET', '/v0/overview');
  t.is(status, 200);
  t.like(body.in_maintenance, { pending: 1, paused: 1 });
  t.deepEqual(body.monitors, { up: 0, degraded: 0, down: 0, undetermined: 0, pending: 2, paused: 1 });
  t.deepEqual(body.alerts, { open: 1, acknowledged: 0, held: 1 });
  t.deepEqual(body.incidents, { unresolved: 1 });
  t.deepEqual(body.deliveries, { failed: 0, held: 0 });
  t.true(world.regions.every(code => body.regions.some((region: { code: string }) => region.code === code)));
  const narrow = await (await world.apiWith(['monitors:read']))('GET', '/v0/overview');
  t.like(narrow.body, { alerts: null, incidents: null, deliveries: null });
});

test('the sentence tells the worst that is known, and never calls well what nobody knows', t => {
  const none = { up: 0, degraded: 0, down: 0, undetermined: 0, pending: 0, paused: 0 };
  const say = (monitors: Partial<typeof none>, inMaintenance: Partial<typeof none> = {}) =>
    describeOverview({
      monitors: { ...none, ...monitors },
      in_maintenance: { ...none, ...inMaintenance },
      alerts: null,
      incidents: null,
      deliveries: null,
      regions: [],
    }).sentence;
  t.is(say({ up: 3 }), 'All 3 monitors are up');
  t.is(say({ up: 1 }), 'The monitor is up');
  t.is(say({ up: 3, down: 1, undetermined: 2 }), '1 monitor is down');
  t.is(say({ up: 3, degraded: 4, undetermined: 2 }), '2 monitors are undetermined');
  t.is(say({ paused: 3, pending: 1 }), 'No monitor has a result yet');
  t.is(say({}), 'No monitor has a result yet');
  t.is(say({ up: 3, down: 1 }, { down: 1 }), 'All 3 monitors outside maintenance are up');
  t.is(say({ up: 3, down: 2 }, { down: 1 }), '1 monitor is down');
  t.is(say({ down: 1 }, { down: 1 }), 'Nothing to report outside maintenance');
  const { details } = describeOverview({
    monitors: { ...none, up: 1 },
    in_maintenance: { ...none, up: 1 },
    alerts: { open: 0, acknowledged: 1, held: 2 },
    incidents: null,
    deliveries: { failed: 2, held: 1 },
    regions: [{ code: 'eu', name: 'eu', agents_online: 0, agents_total: 1, capabilities: [] }],
  });
  t.deepEqual(details, [
    '1 monitor in maintenance',
    '2 alerts held',
    'No agent online in eu',
    '2 deliveries failed in 24 h',
    '1 delivery held',
    '1 alert acknowledged',
  ]);
});
