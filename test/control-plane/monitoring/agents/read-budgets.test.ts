import test from 'ava';
import { ReadBudgets } from '#control-plane/monitoring/agents/read-budgets.ts';
import { insertRegion } from '#control-plane/monitoring/agents/store.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { apiOf, createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const database = useDatabase(test);

test('agents of one private region share a budget that follows what is due there; others have their own', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const { token, projectId } = await createTenant(database());
  await insertRegion(sqlOf(pools.front), { code: 'own', name: 'own', projectId }, Date.now());
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const budgets = new ReadBudgets(sqlOf(pools.front));
  const open = (id: string, isPrivate: boolean) => budgets.open({ id, region: 'own', name: id, isPrivate }, 0);
  const six = await Promise.all(Array.from({ length: 6 }, (_, index) => open(`agt_${index}`, true)));
  t.deepEqual(
    six.map(budget => budget.results(500, 0) === 0),
    [true, true, false, false, false, false],
    'the first thousand are the burst of all',
  );
  const again = await open('agt_5', true);
  t.true(again.results(1, 0) > 0, 'a new connection brings no new budget');
  t.is((await open('agt_shared', false)).results(20_000, 0), 0);

  const hundred = await Promise.all(Array.from({ length: 100 }, (_, index) => open(`agt_large_${index}`, true)));
  const mebibyte = 1024 * 1024;
  const unpaid = hundred.filter(budget => budget.message(mebibyte, 0) === 0);
  t.is(unpaid.length, 4, 'and four mebibytes of messages, however many agents send them');
  t.true((await open('agt_large_99', true)).message(1, 0) > 60_000, 'nor is what an agent owes forgotten');
  const shared = await open('agt_shared', false);
  const results = 400 * 1024;
  for (let second = 1; second <= 60; second++)
    for (let message = 0; message < 10; message++)
      t.is(Math.max(shared.message(results, second * 1000), shared.results(500, second * 1000)), 0);

  for (let index = 0; index < 20; index++)
    await apiOf(replica.url, token)('POST', '/v0/monitors', {
      name: `due ${index}`,
      url: 'http://127.0.0.1:1/',
      interval_seconds: 10,
      regions: ['own'],
    });
  await budgets.refresh();
  // Four results per second are due now: eighty are let in, and 2,400 at once.
  t.is(again.results(0, 60_000), 0);
  t.is(again.results(2400, 120_000), 0);
});
