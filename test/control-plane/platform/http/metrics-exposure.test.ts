import test from 'ava';
import { startControlPlane } from '#control-plane/control-plane.ts';
import { metricsExposure } from '#control-plane/platform/http/metrics-exposure.ts';
import { createLog } from '#shared/log.ts';
import { configFor } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const loopback = [{}];

for (const [host, publicUrl, trustedProxies, isExposed] of [
  ['127.0.0.1', 'http://localhost:8080', [], false],
  ['127.0.0.1', 'http://[::1]:8080', [], false],
  ['127.0.0.1', 'https://up.example', [], true],
  ['localhost', 'https://up.example', [], true],
  ['::1', 'https://localhost.example', [], true],
  ['127.0.0.1', 'https://up.example', loopback, false],
  ['0.0.0.0', 'https://up.example', [], false],
  ['10.0.0.11', 'https://up.example', [], false],
] as const)
  test(`listening on ${host} for ${publicUrl} with ${trustedProxies.length} trusted proxies: ${isExposed}`, t => {
    t.is(metricsExposure({ host, publicUrl, trustedProxies }) !== null, isExposed);
  });

test('a start behind a proxy that may add no header says that anybody can read the metrics', async t => {
  const lines: string[] = [];
  const log = createLog({ name: 'test', level: 'warn', destination: { write: line => lines.push(line) } });
  const replica = await startControlPlane(configFor(databaseOf(), { publicUrl: 'https://up.example' }), log);
  await replica.stop();
  t.is(lines.filter(line => line.includes('anybody can read /metrics')).length, 1);
});
