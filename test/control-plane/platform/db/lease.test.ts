import test from 'ava';
import { leaseHolder } from '#control-plane/platform/db/lease.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { useDatabase } from '#test/support/database.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const database = useDatabase(test);

test('a lease has one holder, and a new holder has a higher fence', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const [first, second] = [leaseHolder(sqlOf(pools.background)), leaseHolder(sqlOf(pools.background))];
  const lease = await first.take('work', 60_000);
  t.is(await second.take('work', 60_000), null);
  t.is((await first.take('work', 60_000))?.fence, lease?.fence);
  await first.take('work', -1);
  t.true(((await second.take('work', 60_000))?.fence ?? 0) > (lease?.fence ?? 0));
  await second.take('more work', 60_000);
  await first.take('other work', 60_000);
  await second.release('work', 'more work', 'other work');
  t.not(await first.take('work', 1000), null);
  t.not(await first.take('more work', 1000), null);
  t.is(await second.take('other work', 1000), null);
});
