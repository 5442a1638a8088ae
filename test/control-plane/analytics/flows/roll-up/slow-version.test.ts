import test from 'ava';
import pg from 'pg';
import { listHourlySteps } from '#control-plane/analytics/flows/roll-up/hourly-step-store.ts';
import { hasPostponedMoreThan } from '#control-plane/analytics/flows/roll-up/postponed-store.ts';
import { listDirtyHours } from '#control-plane/analytics/flows/roll-up/queue-store.ts';
import { rollUp } from '#control-plane/analytics/flows/roll-up/roll-up.ts';
import { backOffMs, portionOf } from '#control-plane/analytics/flows/roll-up/slow-version.ts';
import { insertFlow } from '#control-plane/analytics/flows/store.ts';
import { instant, sqlOf } from '#control-plane/platform/db/sql.ts';
import { hourMs, minuteMs } from '#shared/duration.ts';
import { createTenant } from '#test/support/control-plane.ts';
import { createDatabase } from '#test/support/database.ts';
import { putEvents } from '#test/support/funnel.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const startMs = Date.UTC(2026, 10, 2);
const nowMs = startMs + 2 * hourMs;
const step = (event: string) => ({ event, where: [] });
const rule = { steps: [step('one'), step('two')], windowSeconds: 3600, order: 'ordered' as const };

test('a version whose statements take too long backs off, counts less at once, and delays no other', async t => {
  const database = await createDatabase();
  t.teardown(() => database.drop());
  const { projectId } = await createTenant(database.url);
  const pools = patientPools(database.url);
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  const [slow, quick] = [
    await insertFlow(sql, projectId, 'slow', rule, nowMs),
    await insertFlow(sql, projectId, 'quick', rule, nowMs),
  ];
  const put = (user: string) =>
    putEvents(database.url, projectId, [{ user, name: 'one', atMs: startMs + minuteMs }], nowMs);
  const roll = async (atMs: number, isSlow: boolean | null = null) => {
    while (await rollUp(pools.background, { nowMs: atMs, statementMs: 3000, isSlow }));
  };
  const users = async (flowId: string) => {
    const steps = await listHourlySteps(sql, { flowId, version: 1 }, startMs, nowMs, null);
    return steps.map(({ users }) => (users.kind === 'exact' ? users.users.size : 0));
  };
  const counts = async () => [await users(slow.id), await users(quick.id)];
  await put('a');
  await roll(nowMs);
  t.deepEqual(await counts(), [[1], [1]]);

  // Whoever writes this version's hour waits, as behind a statement that takes very long.
  const blocker = new pg.Client(database.url);
  blocker.on('error', () => undefined);
  await blocker.connect();
  t.teardown(() => blocker.end());
  await blocker.query("begin; set local app.role = 'worker'");
  await blocker.query('select from events_hourly where flow_id = $1 for update', [slow.id]);
  await put('b');
  const failed = await t.throwsAsync(roll(nowMs), { instanceOf: AggregateError });
  t.regex(String((failed as AggregateError).errors[0]), new RegExp(`version 1 of ${slow.id} .* tried again at`));
  t.deepEqual(await counts(), [[1], [2]]);
  await put('c');
  await roll(nowMs + 1000);
  t.deepEqual(await counts(), [[1], [3]], 'it backs off, and its arrivals wait');
  await put('d');
  await t.throwsAsync(roll(nowMs + backOffMs(1)), { instanceOf: AggregateError });
  t.deepEqual(await counts(), [[1], [4]], 'also while it is behind');
  await roll(nowMs + backOffMs(1) + 1000, false);

  const flood = Array.from({ length: 20_001 }, (_, index) => instant(startMs - index * minuteMs));
  await sql.run`
    insert into flow_arrivals (flow_id, version, project_id, minute, at)
    select ${slow.id}, 1, ${projectId}, minute, now()
    from unnest(${flood}::timestamptz[]) as m (minute)
    on conflict do nothing`;
  await put('e');
  await roll(nowMs + backOffMs(1) + 2000);
  const version = { flowId: slow.id, version: 1 };
  t.false(await hasPostponedMoreThan(sql, version, 0), 'very many minutes become hours');
  t.deepEqual(await listDirtyHours(sql, version, 0, nowMs), [startMs]);

  await blocker.query('rollback');
  await roll(nowMs + backOffMs(1) + backOffMs(2), false);
  t.deepEqual(await counts(), [[1], [5]], 'projects with a slow version have a timer of their own');
  await roll(nowMs + backOffMs(1) + backOffMs(2), true);
  t.deepEqual(await counts(), [[5], [5]]);
  t.like(await sql.row`select strikes from flow_versions where flow_id = ${slow.id}`, { strikes: 0 });
});

test('the time between tries doubles up to an hour, and portions are halved down to one', t => {
  t.deepEqual(
    [1, 2, 3, 6, 7, 30].map(backOffMs),
    [1, 2, 4, 32, 60, 60].map(minutes => minutes * minuteMs),
  );
  t.deepEqual(
    [0, 1, 4, 30].map(failures => portionOf(24, failures)),
    [24, 12, 1, 1],
  );
});
