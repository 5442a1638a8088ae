import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { describeConfig, readConfig } from '#agent/config.ts';
import { ConfigError } from '#shared/env.ts';

test('a secret is all that must be given, and only the public internet may be reached', t => {
  const config = readConfig({ AGENT_SECRET: 's3cret' });
  t.is(config.addressPolicy.base, 'public');
  t.true(Object.isFrozen(config));
});

test('every fault is named at once, and no secret', t => {
  const env = {
    AGENT_SECRET: '',
    ADDRESS_POLICY: 'all',
    ADDRESS_ALLOW: 'intranet',
    CONCURRENCY: '0',
    DNS_SERVERS: 'dns.test',
  };
  const error = t.throws(() => readConfig(env), { instanceOf: ConfigError });
  for (const name of Object.keys(env)) t.true(error?.message.includes(name), name);
});

test('what is logged of a configuration has no secret', t => {
  const config = readConfig({
    AGENT_SECRET: 's3cret',
    ADDRESS_ALLOW: '10.0.0.0/8, fd00::/8',
    DNS_SERVERS: '[::1]:53, 1.1.1.1:53',
  });
  const text = JSON.stringify(describeConfig(config));
  t.false(text.includes('s3cret'));
  t.true(text.includes('10.0.0.0/8'));
});

test('the secret may be in a file', t => {
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-config-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'secret'), 'from-file\n');
  t.is(readConfig({ AGENT_SECRET_FILE: join(folder, 'secret') }).secret, 'from-file');
  t.throws(() => readConfig({ AGENT_SECRET_FILE: join(folder, 'none') }), { message: /AGENT_SECRET_FILE/ });
});
