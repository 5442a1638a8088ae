import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { openBroker } from '#control-plane/operations/intake/nats/broker.ts';
import { brokerExposure } from '#control-plane/operations/intake/nats/exposure.ts';
import { readNatsSettings } from '#control-plane/operations/intake/settings.ts';
import { EnvReader } from '#shared/env.ts';
import { createLog } from '#shared/log.ts';

function settingsFor(natsUrl: string, monitorUrl = 'http://127.0.0.1:8222') {
  const reader = new EnvReader({ INTAKE: 'nats', NATS_URL: natsUrl, NATS_MONITOR_URL: monitorUrl });
  const settings = readNatsSettings(reader);
  reader.check();
  if (settings === null) throw new Error('INTAKE=nats has settings');
  return settings;
}

const isAboutPassword = (warning: string) => /no password or token.*every monitor.*every project/.test(warning);
const isAboutTls = (warning: string) => /does not begin with tls:\/\//.test(warning);

for (const [natsUrl, open, clear] of [
  ['nats://127.0.0.1:4222', false, false],
  ['nats://[::1]:4222,nats://localhost', false, false],
  ['nats://nats-1:4222', true, true],
  ['nats://10.0.0.5', true, true],
  ['nats://127.0.0.1,nats://10.0.0.5', true, true],
  ['nats://127.0.0.1.nip.example', true, true],
  ['nats://ops:secret@nats-1:4222', false, true],
  ['nats://s3cret@nats-1', false, true],
  ['tls://nats-1:4222', true, false],
  ['tls://ops:secret@nats-1:4222,tls://nats-2:4222', false, false],
] as const)
  test(`${natsUrl}: ${open ? 'open to all' : 'closed'}, ${clear ? 'in the clear' : 'not in the clear'}`, t => {
    const warnings = brokerExposure(settingsFor(natsUrl));
    t.deepEqual([warnings.some(isAboutPassword), warnings.some(isAboutTls)], [open, clear]);
    t.is(warnings.length, Number(open) + Number(clear));
    t.false(warnings.some(warning => /secret/.test(warning)));
  });

test('a start with NATS servers that anybody can reach says what that means', async t => {
  const monitor = createServer((_, response) => response.end('{}'));
  monitor.listen(0, '127.0.0.1');
  await once(monitor, 'listening');
  t.teardown(() => monitor.close());
  const { port } = monitor.address() as AddressInfo;
  const lines: string[] = [];
  const log = createLog({ name: 'test', level: 'warn', destination: { write: line => lines.push(line) } });
  const settings = settingsFor('nats://192.0.2.1', `http://127.0.0.1:${port}`);
  await t.throwsAsync(openBroker(settings, log), { name: 'ConfigError' });
  t.is(lines.filter(isAboutPassword).length, 1);
  t.is(lines.filter(isAboutTls).length, 1);
});
