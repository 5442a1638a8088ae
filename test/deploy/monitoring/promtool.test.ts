import test from 'ava';
import got from 'got';
import { startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { promtool } from '#test/support/promtool.ts';

const database = useDatabase(test);

for (const file of ['upquorum', 'monitors']) {
  test(`Prometheus accepts the alert rules of ${file}`, t => {
    const { code, output } = promtool(['check', 'rules', `deploy/prometheus/${file}.rules.yaml`]);
    t.is(code, 0, output);
  });

  test(`each alert of ${file} fires where it should, and none does where all works or is new`, t => {
    const { code, output } = promtool(['test', 'rules', `deploy/prometheus/${file}.tests.yaml`]);
    t.is(code, 0, output);
  });
}

/** Of prom-client's own metrics, whose names are as they are. */
const foreign = /^(nodejs|process)_/;

test('Prometheus finds no fault with the metrics of a control plane', async t => {
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const { output } = promtool(['check', 'metrics'], await got(`${replica.url}/metrics`).text());
  t.deepEqual(
    output.split('\n').filter(line => line !== '' && !foreign.test(line)),
    [],
  );
});
