import test from 'ava';
import { literalAddress } from '#control-plane/monitoring/monitors/warnings.ts';
import { apiOf, createRegions, createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);

for (const [url, address] of [
  ['http://10.0.0.1:8080/a', '10.0.0.1'],
  ['http://[fd00::1]/', 'fd00::1'],
  ['http://0x7f.1/', '127.0.0.1'],
  ['http://localhost./', '127.0.0.1'],
  ['http://a.localhost/', '127.0.0.1'],
  ['tcp://LocalHost:80', '127.0.0.1'],
  ['ping://[::1]', '::1'],
  ['dns:///example.com', null],
  ['http://example.com/', null],
  ['http://10.0.0.1.example/', null],
] as const)
  test(`${url} names ${address === null ? 'no address' : `the address ${address}`}`, t => {
    t.is(literalAddress(url), address);
  });

test('an address that shared agents refuse is warned about, except in a region of one’s own', async t => {
  const replica = await startReplica(databaseOf(), { outboundPolicy: { base: 'public', allow: [] } });
  t.teardown(() => replica.stop());
  const { projectId, token } = await createTenant(databaseOf());
  const [shared, own] = [`shared-${projectId.slice(-10)}`, `own-${projectId.slice(-10)}`];
  await createRegions(databaseOf(), [shared]);
  await createRegions(databaseOf(), [own], projectId);
  const api = apiOf(replica.url, token);
  const body = { name: 'm', url: 'http://169.254.169.254/', interval_seconds: 60, regions: [shared] };
  const made = await api('POST', '/v0/monitors', body);
  t.is(made.status, 201);
  t.deepEqual(
    made.body.warnings.map((warning: Record<string, string>) => [warning.pointer, warning.code]),
    [['/url', 'address_not_public']],
  );
  const path = `/v0/monitors/${made.body.id}`;
  t.is((await api('GET', path)).body.warnings, undefined);
  t.is((await api('PATCH', path, { name: 'n' })).body.warnings.length, 1);
  t.is((await api('PATCH', path, { regions: [shared, own] })).body.warnings, undefined);
  t.is((await api('PATCH', path, { regions: [shared], url: 'http://93.184.215.14/' })).body.warnings, undefined);
  const dns = { url: 'dns://93.184.215.14/example.com', dns: { agree_with: ['9.9.9.9', '[fd00::1]:53', 'localhost'] } };
  const asked = await api('POST', '/v0/monitors', { ...body, ...dns, name: 'dns' });
  t.deepEqual(
    asked.body.warnings.map((warning: Record<string, string>) => warning.pointer),
    ['/dns/agree_with/1', '/dns/agree_with/2'],
  );
  const egress = { proxy: { url: 'socks5://localhost:1080' } };
  const proxied = await api('POST', '/v0/monitors', { ...body, url: 'http://example.com/', egress, name: 'proxied' });
  t.like(proxied.body.warnings, [{ pointer: '/egress/proxy/url', code: 'address_not_public' }]);
  const auth = { type: 'oauth2', token_url: 'http://10.0.0.1/token', client_id: 'a', client_secret: 'b' };
  const signing = await api('POST', '/v0/monitors', { ...body, url: 'http://example.com/', auth, name: 'signing in' });
  t.like(signing.body.warnings, [{ pointer: '/auth/token_url', code: 'address_not_public' }]);
});
