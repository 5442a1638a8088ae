import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { describeConfig, isInClear, readConfig } from '#agent/config.ts';
import { ConfigError } from '#shared/env.ts';

test('only a secret is required, and by default only the public internet is reachable', t => {
  const config = readConfig({ AGENT_SECRET: 's3cret' });
  t.is(config.addressPolicy.base, 'public');
  t.true(Object.isFrozen(config));
});

test('every invalid variable is named at once', t => {
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

test('the logged configuration does not contain the secret', t => {
  const config = readConfig({
    AGENT_SECRET: 's3cret',
    ADDRESS_ALLOW: '10.0.0.0/8, fd00::/8',
    DNS_SERVERS: '[::1]:53, 1.1.1.1:53',
  });
  const text = JSON.stringify(describeConfig(config));
  t.false(text.includes('s3cret'));
  t.true(text.includes('10.0.0.0/8'));
});

test('checks go out from addresses of this host', t => {
  t.deepEqual(readConfig({ AGENT_SECRET: 's', BIND_IPV4: '127.0.0.1' }).source, { ipv4: '127.0.0.1', ipv6: null });
  const hasIpv6 = Object.values(networkInterfaces()).some(list => list?.some(({ address }) => address === '::1'));
  if (hasIpv6) t.is(readConfig({ AGENT_SECRET: 's', BIND_IPV6: '0:0:0::1' }).source.ipv6, '::1');
});

test('the secret may come from a file', t => {
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-config-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'secret'), 'from-file\n');
  t.is(readConfig({ AGENT_SECRET_FILE: join(folder, 'secret') }).secret, 'from-file');
  t.throws(() => readConfig({ AGENT_SECRET_FILE: join(folder, 'none') }), { message: /AGENT_SECRET_FILE/ });
});

test('the defaults are those of the README', t => {
  t.deepEqual(readConfig({ AGENT_SECRET: 's3cret' }), {
    controlPlaneUrl: 'http://127.0.0.1:8080',
    secret: 's3cret',
    dataDir: './data/agent',
    addressPolicy: { base: 'public', allow: [], deny: [] },
    concurrency: 1000,
    spoolBytesMax: 67_108_864,
    spoolAgeHoursMax: 24,
    logLevel: 'info',
    extraCaFile: null,
    dnsServers: [],
    dnsCheckServers: [],
    pingConcurrency: 32,
    source: { ipv4: null, ipv6: null },
    programPath: '/usr/bin:/bin',
    stopWithStdin: false,
    heartbeatFile: null,
  });
});

const limits: [name: string, min: number, max: number][] = [
  ['CONCURRENCY', 1, 20_000],
  ['PING_CONCURRENCY', 1, 256],
  ['SPOOL_MAX_BYTES', 65_536, 17_179_869_184],
  ['SPOOL_MAX_AGE_HOURS', 1, 720],
];
for (const [name, min, max] of limits)
  test(`${name} is a whole number from ${min} to ${max}`, t => {
    const read = (value: string) => readConfig({ AGENT_SECRET: 's', [name]: value });
    for (const value of [min, max]) t.notThrows(() => read(String(value)));
    for (const value of [String(min - 1), String(max + 1), '1.5', 'many', '-1'])
      t.throws(() => read(value), { message: `${name} must be a whole number from ${min} to ${max}` }, value);
  });

type Text = [env: Record<string, string>, message: string];
const texts: Text[] = [
  [{}, 'AGENT_SECRET is not set: it must be the secret of an enrolled agent (or set AGENT_SECRET_FILE)'],
  [{ AGENT_SECRET: 's', CONTROL_PLANE_URL: 'ws://x' }, 'CONTROL_PLANE_URL must be a URL with http: or https:'],
  [{ AGENT_SECRET: 's', ADDRESS_POLICY: 'all' }, 'ADDRESS_POLICY must be one of public, loopback, ranges'],
  [
    { AGENT_SECRET: 's', ADDRESS_ALLOW: '10.0.0.0/8, intranet' },
    'ADDRESS_ALLOW contains "intranet", which is not a range such as 10.0.0.0/8',
  ],
  [{ AGENT_SECRET: 's', DNS_SERVERS: 'dns.test' }, 'DNS_SERVERS contains "dns.test", which is not an address'],
  [
    { AGENT_SECRET: 's', DNS_CHECK_SERVERS: '1.1.1.1:0' },
    'DNS_CHECK_SERVERS contains "1.1.1.1:0", which is not an address',
  ],
  ...['192.0.2.1', '::1', '127.0.0.1:80', 'localhost'].map(
    (text): Text => [{ AGENT_SECRET: 's', BIND_IPV4: text }, 'BIND_IPV4 must be an IPv4 address of this host'],
  ),
  ...['2001:db8::1', '127.0.0.1', 'fe80::1%lo', '::ffff:127.0.0.1'].map(
    (text): Text => [{ AGENT_SECRET: 's', BIND_IPV6: text }, 'BIND_IPV6 must be an IPv6 address of this host'],
  ),
  [{ AGENT_SECRET_FILE: '/dev/null' }, 'AGENT_SECRET_FILE is an empty file'],
  [{ AGENT_SECRET_FILE: '/nowhere/secret' }, 'AGENT_SECRET_FILE cannot be read'],
];
for (const [env, message] of texts)
  test(`with ${JSON.stringify(env)} the operator reads: ${message}`, t => {
    t.throws(() => readConfig(env), { instanceOf: ConfigError, message });
  });

for (const [controlPlaneUrl, expected] of [
  ['http://127.0.0.1:8080', false],
  ['http://localhost:8080', false],
  ['http://[::1]:8080', false],
  ['https://up.example.org', false],
  ['http://up.example.org', true],
  ['http://10.0.0.1:8080', true],
  ['http://127.example.org', true],
] as const)
  test(`the secret ${expected ? 'crosses' : 'does not cross'} a network in clear text to ${controlPlaneUrl}`, t => {
    t.is(isInClear({ controlPlaneUrl }), expected);
  });

test('servers for DNS checks have a port, 53 if none is named', t => {
  const { dnsCheckServers } = readConfig({
    AGENT_SECRET: 's',
    DNS_CHECK_SERVERS: '192.0.2.1, 192.0.2.2:5353, 2001:db8::1, [2001:db8::2], [2001:db8::3]:5353',
  });
  t.deepEqual(dnsCheckServers, [
    { address: '192.0.2.1', port: 53 },
    { address: '192.0.2.2', port: 5353 },
    { address: '2001:db8::1', port: 53 },
    { address: '2001:db8::2', port: 53 },
    { address: '2001:db8::3', port: 5353 },
  ]);
});
