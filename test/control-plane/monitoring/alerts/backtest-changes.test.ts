import test from 'ava';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';

const database = useDatabase(test);

test('a back-test takes the changes that a PATCH takes, and refuses the others at the same places', async t => {
  const world = await openMonitorWorld(t, database());
  const stored = { method: 'GET', interval_seconds: 60, timeout_ms: 20_000, headers: { 'x-key': 'secret' } };
  const { id } = (await world.post(stored)).body;
  const [one = ''] = world.regions;
  const component = 'cmp_00000000000000000000000000';
  const refused: Record<string, unknown>[] = [
    { quorum: 9 },
    { quorum: 2, regions: [one] },
    { timeout_ms: 60_001 },
    { interval_seconds: 10 },
    { body: 'x' },
    { method: 'HEAD', assertions: [{ type: 'body_contains', operator: 'contains', value: 'x' }] },
    { headers: { 'x-other': '********' } },
    { body: '********', method: 'POST' },
    { regions: [one, 'elsewhere'] },
    { component_ids: [component] },
    { headers: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x-${index}`, 'x'.repeat(4000)])) },
  ];
  for (const changes of refused) {
    const patch = await world.patch(id, changes);
    const backtest = await world.api('POST', `/v0/monitors/${id}/backtest`, { changes });
    t.is(patch.status, 422, JSON.stringify(changes));
    t.is(backtest.status, 422, JSON.stringify(changes));
    t.deepEqual(
      faultsOf(backtest),
      faultsOf(patch).map(fault => `/changes${fault}`),
      JSON.stringify(changes),
    );
  }
  for (const changes of [{}, { quorum: 1 }, { regions: [one], quorum: 1 }, { headers: { 'x-key': '********' } }])
    t.is((await world.api('POST', `/v0/monitors/${id}/backtest`, { changes })).status, 200, JSON.stringify(changes));
  t.is((await world.api('POST', '/v0/monitors/mon_none/backtest', { changes: { quorum: 9 } })).status, 404);
});
