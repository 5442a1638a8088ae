import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { clusterWarning, whyNotDurable } from '#control-plane/operations/intake/nats/durability.ts';
import { requireDurable } from '#control-plane/operations/intake/nats/require-durable.ts';
import { readNatsSettings, redactNats } from '#control-plane/operations/intake/settings.ts';
import { type Env, EnvReader } from '#shared/env.ts';

const read = (env: Env) => {
  const reader = new EnvReader(env);
  const settings = readNatsSettings(reader);
  reader.check();
  return settings;
};
const nats = { INTAKE: 'nats', NATS_URL: 'nats://127.0.0.1:4222', NATS_MONITOR_URL: 'http://127.0.0.1:8222/' };

test('PostgreSQL takes everything in unless NATS is asked for', t => {
  t.is(read({}), null);
  t.is(read({ INTAKE: 'postgres', NATS_URL: 'nonsense' }), null);
});

test('one server keeps one copy, three keep three', t => {
  t.like(read(nats), { replicas: 1, monitorUrls: ['http://127.0.0.1:8222'], prefix: 'upquorum' });
  const three = { NATS_URL: 'nats://a,nats://b:4223,nats://c', NATS_MONITOR_URL: 'http://a:1,http://b:1,http://c:1' };
  t.like(read({ ...nats, ...three }), { replicas: 3, connection: { servers: ['a', 'b:4223', 'c'] } });
});

test('credentials come from the address, and the log shows none', t => {
  const settings = read({ ...nats, NATS_URL: 'tls://ops:p%40ss@nats.example:4222' });
  t.deepEqual(settings?.connection, { servers: ['nats.example:4222'], user: 'ops', pass: 'p@ss', tls: {} });
  t.false(JSON.stringify(redactNats(settings)).includes('ss@'));
  t.false(JSON.stringify(redactNats(settings)).includes('p@ss'));
  const watched = read({ ...nats, NATS_MONITOR_URL: 'http://ops:swordfish@nats.example:8222' });
  t.false(JSON.stringify(redactNats(watched)).includes('swordfish'));
  t.is(read({ ...nats, NATS_URL: 'nats://s3cret@nats.example' })?.connection.token, 's3cret');
});

test('a fault says what to set, and repeats no address with a password', t => {
  const fault = t.throws(() => read({ INTAKE: 'nats', NATS_URL: 'http://user:hidden@x', NATS_PREFIX: 'A B' }));
  t.regex(fault?.message ?? '', /NATS_URL must list addresses.*NATS_MONITOR_URL|NATS_MONITOR_URL.*NATS_URL must list/);
  t.regex(fault?.message ?? '', /NATS_PREFIX/);
  t.false(fault?.message.includes('hidden'));
});

test('a server is trusted only if it writes to disk before it acknowledges', t => {
  const config = { sync_always: true };
  t.is(whyNotDurable({ version: '2.10.27', jetstream: { config } }), null);
  t.is(whyNotDurable({ version: '2.12.0-beta.1', jetstream: { config } }), null);
  t.regex(whyNotDurable({ version: '2.10.26', jetstream: { config } }) ?? '', /2\.10\.27 or later/);
  t.regex(whyNotDurable({ version: '2.9.99', jetstream: { config } }) ?? '', /2\.10\.27 or later/);
  t.regex(whyNotDurable({ version: '2.11.1', jetstream: {} }) ?? '', /JetStream is not enabled/);
  t.regex(whyNotDurable({ version: '2.11.1', jetstream: { config: {} } }) ?? '', /sync_interval: always/);
  t.regex(whyNotDurable({}) ?? '', /unknown/);
});

test('servers of a cluster are reported if they are older than its oldest good version; one alone is not', async t => {
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ version: '2.11.9', jetstream: { config: { sync_always: true } } })),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.deepEqual(await requireDurable([url]), []);
  const warnings = await requireDurable([url, url]);
  t.is(warnings.length, 2);
  t.regex(warnings[0] ?? '', /2\.11\.9.*2\.12\.0 or later/);
  t.is(clusterWarning({ version: '2.12.0' }), null);
  t.is(clusterWarning({ version: '2.15.1' }), null);
});

test('a start with a server that is not durable is refused with its address', async t => {
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ version: '2.10.27', jetstream: { config: { sync_interval: 120e9 } } })),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await t.throwsAsync(requireDurable([url]), {
    name: 'ConfigError',
    message: new RegExp(`always.*${new URL(url).host}`),
  });
});

test('credentials of a monitoring address are sent, and are in no error', async t => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(403).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const error = await t.throwsAsync(requireDurable([`http://ops:swordfish@127.0.0.1:${port}/nats`]));
  t.deepEqual(seen, [`Basic ${Buffer.from('ops:swordfish').toString('base64')}`]);
  t.false(error?.message.includes('swordfish'));
});
