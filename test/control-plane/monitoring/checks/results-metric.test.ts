import test from 'ava';
import got from 'got';
import { startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);

test('a control plane counts stored results from zero, so that Prometheus sees when none is stored', async t => {
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const metrics = await got(`${replica.url}/metrics`).text();
  t.regex(metrics, /^upquorum_results_total\{outcome="stored"\} 0$/m);
});
