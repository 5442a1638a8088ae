import test from 'ava';
import { Registry } from 'prom-client';
import { DatabaseClock } from '#control-plane/platform/db/clock.ts';
import { addDatabaseMetrics } from '#control-plane/platform/db/database-metrics.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { useDatabase } from '#test/support/database.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const database = useDatabase(test);

test('metrics tell what uses the database and waits for it, and its clock’s offset once it is known', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const [registry, clock] = [new Registry(), new DatabaseClock()];
  addDatabaseMetrics(registry, pools, clock);
  t.notRegex(await registry.metrics(), /^upquorum_clock_offset_seconds \S+$/m);
  await clock.measure(sqlOf(pools.front));
  const held = await pools.health.connect();
  const waiting = pools.health.connect();
  const text = await registry.metrics();
  t.true(text.includes('upquorum_database_connections{pool="health",state="used"} 1'), text);
  t.true(text.includes('upquorum_database_connections{pool="front",state="idle"} 1'));
  t.true(text.includes('upquorum_database_waiting{pool="health"} 1'));
  t.regex(text, /^upquorum_clock_offset_seconds -?[\d.e-]+$/m);
  held.release();
  (await waiting).release();
});
