import test from 'ava';
import { createPools } from '#control-plane/db/pool.ts';
import { sqlOf } from '#control-plane/db/sql.ts';
import { spansOf } from '#control-plane/flows/hours.ts';
import { rollUp } from '#control-plane/flows/roll-up.ts';
import { deleteFlow, insertFlow } from '#control-plane/flows/store.ts';
import { createLog } from '#shared/log.ts';
import { createTenant } from '#test/support/control-plane.ts';
import { createDatabase } from '#test/support/database.ts';
import { putEvents } from '#test/support/funnel.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const minuteMs = 60_000;
const nowMs = Date.UTC(2026, 10, 3, 10, 30);

test('each run of minutes is followed by itself: the time between them costs nothing', t => {
  const oldMs = Date.UTC(2000, 0, 1, 5, 7);
  const spans = spansOf([oldMs, nowMs - minuteMs, nowMs, nowMs + 2 * hourMs], 7 * dayMs);
  t.is(spans.length, 2);
  t.deepEqual(spans[0], {
    fromMs: Date.UTC(1999, 11, 25, 5),
    toMs: Date.UTC(2000, 0, 1, 6),
    runs: [[oldMs, oldMs + minuteMs]],
  });
  t.deepEqual(spans[1], {
    fromMs: Date.UTC(2026, 9, 27, 10),
    toMs: Date.UTC(2026, 10, 3, 13),
    runs: [
      [nowMs - minuteMs, nowMs + minuteMs],
      [nowMs + 2 * hourMs, nowMs + 2 * hourMs + minuteMs],
    ],
  });
});

test('events scattered over years are rolled up piece by piece, what arrived first before the rest', async t => {
  const database = await createDatabase();
  t.teardown(() => database.drop());
  const { projectId } = await createTenant(database.url);
  const pools = createPools(database.url, createLog({ name: 'test', level: 'silent' }));
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
  while (await rollUp(pools.background, nowMs));
  const count = async (table: string) =>
    (await sql.row<{ count: number }>(`select count(*) as count from ${table}`))?.count;
  await putEvents(database.url, projectId, [{ user: 'first', name: 'one', atMs: nowMs - 5 * minuteMs }], nowMs - 1000);
  const places = Array.from({ length: 700 }, (_, place) => place);
  const scattered = places.map(place => ({
    user: `u${place}`,
    name: 'one',
    atMs: Date.UTC(2000, 0, 1) + place * 13 * dayMs,
  }));
  await putEvents(database.url, projectId, scattered, nowMs);
  t.true(await rollUp(pools.background, nowMs));
  t.is(await count('events_pending'), 201);
  const cells = await sql.rows<{ hour: number }>('select hour from events_hourly where flow_id = $1', [flow.id]);
  t.is(cells.length, 500);
  t.true(cells.some(cell => cell.hour === Date.UTC(2026, 10, 3, 10)));
  while (await rollUp(pools.background, nowMs));
  t.deepEqual([await count('events_pending'), await count('events_hourly')], [0, 701]);
  const cell =
    "insert into events_hourly (flow_id, version, hour, release_id, step, project_id, cell) values ($1, 7, now(), '', 1, $2, '')";
  await t.throwsAsync(
    sql.run(cell, [flow.id, projectId]),
    { message: /foreign key/ },
    'no cells of a version that is gone',
  );
  await deleteFlow(sql, projectId, flow.id);
  t.is(await count('events_hourly'), 0);
});
