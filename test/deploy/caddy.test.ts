import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import got from 'got';
import { parseRange } from '#shared/network/guard.ts';
import { startCaddy } from '#test/support/caddy.ts';
import { apiOf, createTenant, startReplica, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { fixedPort } from '#test/support/fixed-port.ts';
import { startZone } from '#test/support/zone.ts';

const databaseOf = useDatabase(test);
const example = readFileSync(join(import.meta.dirname, '../../deploy/proxy/Caddyfile'), 'utf8');

test('Caddy gets certificates for own domains of pages, and for no other names', async t => {
  await using zone = await startZone();
  const replica = await startReplica(databaseOf(), {
    publicUrl: 'https://upquorum.example',
    dnsServers: zone.servers,
    trustedProxies: [parseRange('127.0.0.1')].filter(range => range !== null),
  });
  t.teardown(() => replica.stop());
  const [http, https, asking] = [await fixedPort(), await fixedPort(), await fixedPort()];
  const ours = example
    .replaceAll('10.0.0.11:8080 10.0.0.12:8080', `127.0.0.1:${replica.port}`)
    .replaceAll('127.0.0.1:9180', `127.0.0.1:${asking}`);
  await using caddy = await startCaddy(ours, { http, https });

  const api = apiOf(replica.url, (await createTenant(databaseOf())).token);
  const { id } = (await api('POST', '/v0/status-pages', { name: 'Acme', slug: 'acme' })).body;
  const domains = `/v0/status-pages/${id}/domains`;
  const { record, id: domain } = (await api('POST', domains, { domain: 'status.acme.example' })).body;
  await api('POST', domains, { domain: 'pending.acme.example' });
  await t.throwsAsync(caddy.visit('status.acme.example', '/'), { message: /alert/ }, 'before it is proven');
  zone.txt.set(record.name, [record.value]);
  t.is((await api('POST', `${domains}/${domain}/verify`)).body.state, 'verified');

  const shown = await until(
    () => caddy.visit('status.acme.example', '/').catch(() => null),
    answer => answer?.status === 200,
  );
  t.regex(shown?.body ?? '', /<bdi>Acme<\/bdi>/);
  t.is(shown?.headers['strict-transport-security'], 'max-age=2592000');
  for (const name of ['pending.acme.example', 'unknown.example', 'acme.example'])
    await t.throwsAsync(caddy.visit(name, '/'), { message: /alert/ }, name);
  for (const host of ['status.acme.example', 'upquorum.example'])
    t.is((await caddy.visit(host, '/tls/ask?domain=status.acme.example')).status, 404, 'nobody asks through the proxy');
  t.is((await caddy.visit('status.acme.example', '/v0/me')).status, 404);
  t.is((await caddy.visit('upquorum.example', '/v0/me')).status, 401);
  const led = await caddy.visit('upquorum.example', '/status/acme/history');
  t.deepEqual([led.status, led.headers.location], [307, 'https://status.acme.example/history']);
  const plain = await got(`http://127.0.0.1:${http}/history`, {
    headers: { host: 'status.acme.example' },
    followRedirect: false,
  });
  t.is(plain.statusCode, 308);
  t.regex(plain.headers.location ?? '', /^https:\/\/status\.acme\.example(:\d+)?\/history$/);

  t.is((await api('DELETE', `${domains}/${domain}`)).status, 204);
  await until(
    () => caddy.visit('status.acme.example', '/'),
    ({ status }) => status === 404,
  );
});
