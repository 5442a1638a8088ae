import test, { type ExecutionContext } from 'ava';
import { addResults } from '#control-plane/monitoring/checks/roll-up/add-results.ts';
import { deleteDays, sumDays, sumHours } from '#control-plane/monitoring/checks/roll-up/tally-store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import { apiOf, createRegions, createTenant, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';
import { makeNewResult } from '#test/support/monitor-state.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const database = useDatabase(test);
const today = Math.floor(Date.now() / dayMs) * dayMs;
/** Half past one: yesterday is over. */
const nowMs = today + 90 * minuteMs;

/** A monitor with a check of each region in each of the given hours, on the replica of all tests. */
async function openWorld(t: ExecutionContext, code: string) {
  const regions = [`${code}-a`, `${code}-b`];
  const secrets = await createRegions(database(), regions);
  const { token } = await createTenant(database());
  const replica = await sharedReplica(database());
  const api = apiOf(replica.url, token);
  const body = { name: 'm', url: 'http://127.0.0.1:1/', interval_seconds: 10, timeout_ms: 1000, regions };
  const id = String((await api('POST', '/v0/monitors', body)).body.id);
  const agents = await Promise.all(regions.map(region => connectFakeAgent(replica.url, secrets[region]?.secret ?? '')));
  t.teardown(() => Promise.all(agents.map(agent => agent[Symbol.asyncDispose]())));
  const check = async (at: number, latency_ms: number) => {
    for (const agent of agents) await agent.report([goodResult(id, at, { latency_ms })]);
  };
  const keptDays = () =>
    withSql(
      database(),
      sql => sql.rows<{ day: number; ok: number }>`
        select day, ok
        from checks_daily
        where monitor_id = ${id}
        order by day`,
    );
  const days = (sql: Sql) => sumDays(sql, id, today - 3 * dayMs, today + dayMs, nowMs);
  const read = async () => {
    const tallies = await withSql(database(), days);
    return tallies.map(({ start, ok }) => [(start - today) / dayMs, ok]).sort();
  };
  /** Reads until a number of days is kept: none is while the replica's timers have the monitor's row. */
  const readUntilKept = (count: number) =>
    until(
      async () => ({ read: await read(), kept: (await keptDays()).length }),
      ({ kept }) => kept === count,
    );
  return { id, replica, check, keptDays, days, read, readUntilKept };
}

test('days that are over are summed up once, and a late result sums its day up again', async t => {
  const world = await openWorld(t, 'days');
  await world.check(today - 2 * dayMs + hourMs, 10);
  await world.check(today - 2 * dayMs + 5 * hourMs, 500);
  await world.check(today - 1000, 10);
  await world.check(today + 1000, 10);
  const expected = [
    [-1, 2],
    [-2, 4],
    [0, 2],
  ];
  t.deepEqual((await world.readUntilKept(2)).read, expected);
  t.deepEqual(
    (await world.keptDays()).map(({ day, ok }) => [(day - today) / dayMs, ok]),
    [
      [-2, 4],
      [-1, 2],
    ],
    'today goes on',
  );
  t.deepEqual(await world.read(), expected);
  await world.check(today - 2 * dayMs + 7 * hourMs, 10);
  t.deepEqual(await world.read(), [
    [-1, 2],
    [-2, 6],
    [0, 2],
  ]);
  const hours = await withSql(database(), sql => sumHours(sql, world.id, today - 2 * dayMs, today - dayMs));
  t.deepEqual(
    hours.map(({ ok }) => ok),
    [2, 2, 2],
  );
});

test('a day is not summed up while the recorder stores results of the monitor', async t => {
  const world = await openWorld(t, 'busy');
  await world.check(today - dayMs, 10);
  await world.check(today, 10);
  const expected = [
    [-1, 2],
    [0, 2],
  ];
  const client = await world.replica.pools.background.connect();
  await client.query('begin');
  await client.query('select 1 from monitor_states where monitor_id = $1 for update', [world.id]);
  t.deepEqual(await world.read(), expected);
  t.deepEqual(await world.keptDays(), []);
  await client.query('rollback');
  client.release();
  t.deepEqual((await world.readUntilKept(1)).read, expected);
});

test('a day whose last hour is open is read, and summed up once a later hour has begun', async t => {
  const world = await openWorld(t, 'open');
  await world.check(today - 2 * dayMs + hourMs, 10);
  await world.check(today - dayMs - hourMs, 20);
  await world.check(today - dayMs - hourMs + minuteMs, 30);
  t.deepEqual(await world.read(), [[-2, 6]]);
  t.deepEqual(await world.keptDays(), []);
  const [day] = await withSql(database(), world.days);
  t.is(day?.latency_max, 30);
  t.is(
    day?.latency_bins.reduce((sum, count) => sum + count, 0),
    6,
  );
  await world.check(today - dayMs, 10);
  const after = await world.readUntilKept(1);
  t.deepEqual(after.read, [
    [-1, 2],
    [-2, 6],
  ]);
});

test('a day that another request stores while one reads it is read by both', async t => {
  const world = await openWorld(t, 'both');
  await world.check(today - 2 * dayMs, 10);
  await world.check(today - dayMs, 10);
  await world.check(today, 10);
  const expected = [
    [-1, 2],
    [-2, 2],
    [0, 2],
  ];
  await withSql(database(), async sql => {
    const { row: read } = sql;
    let others = 0;
    const overtaken: Sql = {
      ...sql,
      row: async <Row>(...statement: Parameters<Sql['row']>) => {
        const row = await read<Row>(...statement);
        if (others++ === 0) t.deepEqual(await world.read(), expected);
        return row;
      },
    };
    const tallies = await world.days(overtaken);
    t.deepEqual(tallies.map(({ start, ok }) => [(start - today) / dayMs, ok]).sort(), expected);
  });
  t.deepEqual((await world.readUntilKept(2)).read, expected);
});

test('late results forget the sums of their day, others forget nothing', async t => {
  const world = await openWorld(t, 'late');
  await world.check(today - dayMs, 10);
  await world.check(today, 10);
  await world.readUntilKept(1);
  const of = (scheduled_at: number, kind: 'scheduled' | 'confirm' = 'scheduled') => [
    makeNewResult(scheduled_at, { monitor_id: world.id, kind }),
  ];
  await withSql(database(), async sql => {
    await addResults(sql, [], of(today), nowMs);
    await addResults(sql, [], of(today - 1, 'confirm'), nowMs);
    await addResults(sql, [], of(today - 1), today + 59 * minuteMs - 1);
    t.is((await world.keptDays()).length, 1);
    await addResults(sql, [], of(today - 1), today + 59 * minuteMs);
    t.is((await world.keptDays()).length, 0);
  });
  await world.readUntilKept(1);
  await withSql(database(), sql => deleteDays(sql, [world.id], today - hourMs, today));
  t.is((await world.keptDays()).length, 0);
});
