import test from 'ava';
import { rollUp } from '#control-plane/analytics/flows/roll-up/roll-up.ts';
import { deleteFlow, insertFlow } from '#control-plane/analytics/flows/store.ts';
import { identifier, sqlOf } from '#control-plane/platform/db/sql.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { createTenant } from '#test/support/control-plane.ts';
import { createDatabase } from '#test/support/database.ts';
import { putEvents } from '#test/support/funnel.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const nowMs = Date.UTC(2026, 10, 3, 10, 30);

test('events scattered over years are rolled up piece by piece, what arrived first before the rest', async t => {
  const database = await createDatabase();
  t.teardown(() => database.drop());
  const { projectId } = await createTenant(database.url);
  const pools = patientPools(database.url);
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  const rule = {
    steps: [
      { event: 'one', where: [] },
      { event: 'two', where: [] },
    ],
    windowSeconds: 3600,
    order: 'ordered' as const,
  };
  const flow = await insertFlow(sql, projectId, 'flow', rule, nowMs);
  while (await rollUp(pools.background, { nowMs }));
  const count = async (table: string) =>
    (await sql.row<{ count: number }>`select count(*) as count from ${identifier(table)}`)?.count;
  await putEvents(database.url, projectId, [{ user: 'first', name: 'one', atMs: nowMs - 5 * minuteMs }], nowMs - 1000);
  const scattered = Array.from({ length: 700 }, (_, index) => ({
    user: `u${index}`,
    name: 'one',
    atMs: Date.UTC(2000, 0, 1) + index * 13 * dayMs,
  }));
  await putEvents(database.url, projectId, scattered, nowMs);
  t.true(await rollUp(pools.background, { nowMs }));
  t.is(await count('events_pending'), 201);
  const steps = await sql.rows<{ hour: number }>`select hour from events_hourly where flow_id = ${flow.id}`;
  t.is(steps.length, 500);
  t.true(steps.some(step => step.hour === Date.UTC(2026, 10, 3, 10)));
  while (await rollUp(pools.background, { nowMs }));
  t.deepEqual([await count('events_pending'), await count('events_hourly')], [0, 701]);
  const orphan = sql.run`
    insert into events_hourly (flow_id, version, hour, release_id, step, project_id, cell)
    values (${flow.id}, 7, now(), '', 1, ${projectId}, '')`;
  await t.throwsAsync(orphan, { message: /foreign key/ }, 'no steps of a version that is deleted');
  await deleteFlow(sql, projectId, flow.id);
  t.is(await count('events_hourly'), 0);
});
