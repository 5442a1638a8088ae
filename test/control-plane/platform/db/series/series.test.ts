import test from 'ava';
import pg from 'pg';
import { migrate } from '#control-plane/platform/db/schema/migrate.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { instant, sqlOf } from '#control-plane/platform/db/sql.ts';
import { dayMs } from '#shared/duration.ts';
import { createDatabase, useDatabase } from '#test/support/database.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const database = useDatabase(test);

test('retention drops whole spans and nothing younger, in every edition', async t => {
  const { edition } = await migrate({ connectionString: database(), storage: 'auto', log: () => {} });
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  const series = await openSeries(pools.background, sql, edition);
  const now = Date.now();
  const ages = [0, 1, 5, 28, 29, 31, 40];
  await series.ensure(
    'check_results',
    ages.map(age => now - age * dayMs),
  );
  for (const age of ages) {
    const at = instant(now - age * dayMs);
    await sql.run`
      insert into check_results (monitor_id, scheduled_at, region, kind, attempt, status, agent_id, config_version,
        started_at, completed_at, received_at, detail)
      values ('m', ${at}, 'r', 'scheduled', 1, 'ok', 'a', 1, ${at}, ${at}, ${at}, '{}')`;
  }
  const dropped = await series.dropBefore('check_results', now - 30 * dayMs);
  t.is(dropped.length, 2);
  const left = await sql.rows<{ age: number }>`
    select (extract(epoch from ${instant(now)}::timestamptz - scheduled_at) / 86400)::integer as age
    from check_results
    order by 1`;
  t.deepEqual(
    left.map(row => row.age),
    [0, 1, 5, 28, 29],
  );
  t.deepEqual(await series.dropBefore('check_results', now - 30 * dayMs), []);
});

test('several replicas create the same span at once', async t => {
  const { edition } = await migrate({ connectionString: database(), storage: 'auto', log: () => {} });
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const stores = await Promise.all(
    Array.from({ length: 4 }, () => openSeries(pools.background, sqlOf(pools.background), edition)),
  );
  await Promise.all(
    stores.map(store => store.ensure('checks_hourly', [Date.now() - 400 * dayMs, Date.now() + 100 * dayMs])),
  );
  t.pass();
});

test('a schema that needs a newer program or was changed afterwards is refused, others are left alone', async t => {
  const empty = await createDatabase();
  t.teardown(() => empty.drop());
  const migrateAgain = () => migrate({ connectionString: empty.url, storage: 'auto', log: () => {} });
  t.is((await migrateAgain()).applied, 0);
  const client = new pg.Client({ connectionString: empty.url });
  await client.connect();
  t.teardown(() => client.end());
  await client.query("insert into schema_migrations values ('9999-future.sql', 'x', now())");
  t.is((await migrateAgain()).applied, 0);
  await client.query("insert into schema_needs values ('9999-future.sql')");
  await t.throwsAsync(migrateAgain, { message: /too old for the database.*9999-future/s });
  await client.query(
    `delete from schema_migrations where name like '9999%';
     delete from schema_needs;
     update schema_migrations set checksum = 'x' where name like '0001%'`,
  );
  await t.throwsAsync(migrateAgain, { message: /0001-projects\.sql was changed/ });
});

/** A server with the Community edition has all of them. */
const missing = process.env.TEST_STORAGE === 'community' ? [] : ['community' as const];
for (const storage of missing)
  test('an edition the server does not have is refused loudly', async t => {
    const empty = await createDatabase();
    t.teardown(() => empty.drop());
    await t.throwsAsync(() => migrate({ connectionString: empty.url, storage, log: () => {} }), {
      message: /STORAGE=community/,
    });
  });
