import { readFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { findState } from '#control-plane/monitoring/monitors/state/state-store.ts';
import { connectionOptions } from '#control-plane/platform/db/pool.ts';
import { migrationsFolder } from '#control-plane/platform/db/schema/migration-files.ts';
import { instant, sqlOf } from '#control-plane/platform/db/sql.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const database = useDatabase(test);

/** Statements on a database with a monitor, and a migration that runs again on what they leave. */
async function openWorld(t: ExecutionContext) {
  const world = await openMonitorWorld(t, database());
  const client = await connect();
  t.teardown(() => client.end());
  const id = String((await world.post()).body.id);
  // On a connection of its own, since it may make temporary functions.
  const migrate = async (name: string) => {
    const migrating = await connect();
    await migrating.query(await readFile(new URL(name, migrationsFolder), 'utf8'));
    await migrating.end();
  };
  return { sql: sqlOf(client), id, migrate };
}

async function connect(): Promise<pg.Client> {
  const options = connectionOptions({ worker: true, statementTimeoutMs: 10_000 });
  const client = new pg.Client({ connectionString: database(), options });
  await client.connect();
  return client;
}

test('a day that was summed up without the hour in the state is summed up again, and no other', async t => {
  const { sql, id, migrate } = await openWorld(t);
  const day = Date.UTC(2026, 4, 3);
  await sql.run`
    update monitor_states
    set open_hour = ${`${(day + 7 * hourMs) / hourMs};a,1,0,0,10,10,0:1`}
    where monitor_id = ${id}`;
  for (const at of [day - dayMs, day, day + dayMs])
    await sql.run`
      insert into checks_daily (monitor_id, day, ok, warn, err, latency_max, latency_bins)
      values (${id}, ${instant(at)}, 2, 0, 0, 10, ${new Array<number>(48).fill(0)})`;
  await migrate('0186-days-without-hour.sql');
  const days = await sql.rows<{ after: number }>`
    select extract(days from day - ${instant(day)}::timestamptz)::integer as after
    from checks_daily
    where monitor_id = ${id}
    order by day`;
  t.deepEqual(days, [{ after: -1 }, { after: 1 }]);
});

test('what an alert about certificates depends on gets the fields that versions before 0.7.7 left out', async t => {
  const { sql, id, migrate } = await openWorld(t);
  const before = { at: 1, crossedMs: 2, facts: { a: { at: 1, validFrom: 0, validTo: 5 } } };
  const blank = { resolvedAt: null, flappingSince: null, lastBad: null, answers: null };
  const certificatesAfter = async (stored: unknown) => {
    await sql.run`update monitor_states set certificates = ${JSON.stringify(stored)} where monitor_id = ${id}`;
    await migrate('0187-certificate-watches.sql');
    return (await findState(sql, id))?.certificates;
  };
  t.deepEqual(await certificatesAfter({ rules: null, watch: before }), {
    rules: null,
    watch: { ...blank, ...before },
    ended: null,
  });
  const ended = { rules: null, watch: null, ended: { ...blank, ...before, resolvedAt: 7, flappingSince: 4 } };
  t.deepEqual(await certificatesAfter(ended), ended);
  const rules = { rules: { thresholds: [] }, watch: null };
  t.deepEqual<unknown, unknown>(await certificatesAfter(rules), rules, 'without an alert it stays as it is');
  t.is(await certificatesAfter(null), null);
});
