import test from 'ava';
import { readConfig } from '#deploy/local/config.ts';
import { ConfigError, type Env } from '#shared/env.ts';

test('without variables npm start uses the embedded database on port 8080', t => {
  t.like(readConfig({ HOME: '/home/ada' }), { port: 8080, databaseUrl: null, requireTimescale: false });
});

test('only listed variables are passed through to the programs, unchanged', t => {
  const env = {
    PATH: '/bin',
    SMTP_URL: 'smtp://mail',
    TRUSTED_PROXIES: '10.0.0.0/8',
    AWS_SECRET_ACCESS_KEY: 'x',
    PORT: '1',
  };
  t.deepEqual(readConfig(env).passedThrough, {
    PATH: '/bin',
    SMTP_URL: 'smtp://mail',
    TRUSTED_PROXIES: '10.0.0.0/8',
  });
});

test('agents get the settings of their DNS checks and pings, and what they go out from', t => {
  const env = {
    DNS_CHECK_SERVERS: '192.0.2.53',
    PING_CONCURRENCY: '4',
    BIND_IPV4: '192.0.2.1',
    BIND_IPV6: '2001:db8::1',
  };
  t.deepEqual(readConfig(env).passedThrough, env);
});

test('ranges that are denied are denied by agents and control plane', t => {
  const env = { ADDRESS_DENY: '198.51.100.0/24', OUTBOUND_ADDRESS_DENY: '198.51.100.0/24' };
  t.deepEqual(readConfig(env).passedThrough, env);
});

test('agents trust the authorities of EXTRA_CA_FILE', t => {
  t.like(readConfig({ EXTRA_CA_FILE: '/etc/ca.pem' }).passedThrough, { EXTRA_CA_FILE: '/etc/ca.pem' });
});

for (const [publicUrl, policy] of [
  [undefined, 'loopback'],
  ['http://localhost:8080', 'loopback'],
  ['http://127.0.0.1', 'loopback'],
  ['http://[::1]:8080/', 'loopback'],
  ['https://status.example.com', 'public'],
  ['https://localhost.example.com', 'public'],
  ['http://10.0.0.5', 'public'],
] as const)
  test(`with PUBLIC_URL ${publicUrl ?? 'unset'} the agents' addresses are ${policy}, unless one says otherwise`, t => {
    const env = publicUrl === undefined ? {} : { PUBLIC_URL: publicUrl };
    t.is(readConfig(env).addressPolicy, policy);
    t.like(readConfig({ ...env, ADDRESS_POLICY: 'ranges' }).passedThrough, { ADDRESS_POLICY: 'ranges' });
  });

for (const url of ['postgres://u@h/db', 'postgresql://user:pw@/db?host=/run/postgresql', 'postgres:///db?host=/run'])
  test(`npm start takes the database ${url}, as the control plane does`, t => {
    t.is(readConfig({ DATABASE_URL: url }).databaseUrl, url);
  });

const faults: readonly [env: Env, message: RegExp][] = [
  [{ PORT: '0' }, /PORT must be a whole number from 1 to 65535/],
  [{ PORT: 'http' }, /PORT/],
  [{ DATABASE_URL: 'postgres://u:se/cret@h/db' }, /^DATABASE_URL is not a postgres:\/\/ URL: [^@]*%2F$/],
  [{ DATABASE_URL: 'mysql://u:p@h/db' }, /^DATABASE_URL is not a postgres:/],
  [{ PUBLIC_URL: 'example.com' }, /PUBLIC_URL must be a URL/],
  [{ PUBLIC_URL: 'https://example.com/up/' }, /PUBLIC_URL must be scheme, host and port only/],
  [{ REQUIRE_TIMESCALE: 'yes' }, /REQUIRE_TIMESCALE must be one of/],
];

for (const [env, message] of faults)
  test(`${JSON.stringify(env)} is refused`, t => {
    t.throws(() => readConfig(env), { instanceOf: ConfigError, message });
  });
