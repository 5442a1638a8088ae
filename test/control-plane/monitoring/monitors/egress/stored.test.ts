import { randomBytes } from 'node:crypto';
import test from 'ava';
import { resealMonitors } from '#control-plane/monitoring/monitors/secrets/reseal.ts';
import { findMonitor } from '#control-plane/monitoring/monitors/store.ts';
import { createKeyring } from '#control-plane/platform/secrets/keyring.ts';
import { makeCertificate } from '#test/support/certificate.ts';
import { testSecretKey, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';
import { faultsOf } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);
const { cert: certificate, key: private_key, authority: ca } = makeCertificate({ name: 'client.example' });
const client_certificate = { certificate, private_key };

test.serial('egress is shown without the private key, with what the certificate says, to everybody alike', async t => {
  const { post, api, apiWith } = await openMonitorWorld(t, databaseOf());
  const { body: made } = await post({ egress: { ca, verify: false, client_certificate } });
  const { egress } = (await api('GET', `/v0/monitors/${made.id}`)).body;
  t.deepEqual(egress, made.egress);
  t.like(egress, { ip_family: 'any', addresses: 'first', verify: false, server_name: null, ca });
  t.like(egress.client_certificate, { certificate, private_key: '********', subject: 'CN=client.example' });
  t.regex(egress.client_certificate.fingerprint_sha256, /^[0-9a-f]{64}$/);
  const reader = await apiWith(['monitors:read']);
  t.deepEqual((await reader('GET', `/v0/monitors/${made.id}`)).body.egress, egress);
  t.is((await post({ egress: { verify: true } })).body.egress, null, 'as usual is nothing');
  const sentBack = faultsOf(await api('PATCH', `/v0/monitors/${made.id}`, { egress }));
  const seen = ['fingerprint_sha256', 'subject', 'valid_to'];
  t.deepEqual(
    sentBack,
    seen.map(name => `/egress/client_certificate/${name} read_only`),
  );
});

test.serial('a hidden key keeps the stored one; a certificate that it does not fit is refused', async t => {
  const { post, patch } = await openMonitorWorld(t, databaseOf());
  const { id } = (await post({ egress: { client_certificate } })).body;
  const hidden = { certificate, private_key: '********' };
  const kept = await patch(id, { egress: { client_certificate: hidden, server_name: 'a.example' } });
  t.is(kept.status, 200);
  t.is(kept.body.config_version, 2);
  const other = await patch(id, { egress: { client_certificate: { ...hidden, certificate: makeCertificate().cert } } });
  t.deepEqual(faultsOf(other), ['/egress/client_certificate/private_key format']);
  const nothing = await post({ egress: { client_certificate: hidden } });
  t.true(faultsOf(nothing).includes('/egress/client_certificate/private_key not_allowed'));
  t.is((await patch(id, { egress: null })).body.egress, null);
});

test.serial(
  'a version that does not know of each address assigns such a monitor nowhere, and cannot write it',
  async t => {
    const { post, patch, api } = await openMonitorWorld(t, databaseOf());
    const assertions = [{ type: 'addresses', operator: 'all' }];
    const { id } = (await post({ egress: { addresses: 'each' }, assertions })).body;
    const { body } = await api('GET', `/v0/monitors/${id}`);
    t.is(body.egress.addresses, 'each');
    t.true(body.votes.every((vote: { partial_addresses: unknown }) => vote.partial_addresses === null));
    t.deepEqual(faultsOf(await patch(id, { egress: null })), ['/assertions/0/type not_allowed']);
    const forgets = withSql(databaseOf(), sql => sql.run`update monitors set egress = null where id = ${id}`);
    await t.throwsAsync(forgets, { message: /monitors_each_address/ });
    const other = withSql(databaseOf(), sql => sql.run`update monitors set needs = 'egress.1' where id = ${id}`);
    await t.throwsAsync(other, { message: /monitors_each_address/ });
    t.is((await patch(id, { egress: null, assertions: [] })).body.egress, null);
  },
);

test.serial('the key stands in no column and no entry of the audit', async t => {
  const { post, patch, api } = await openMonitorWorld(t, databaseOf());
  const { id } = (await post({ egress: { client_certificate } })).body;
  await patch(id, { egress: { client_certificate, verify: false } });
  const secret = private_key.split('\n')[1] ?? '';
  const rows = await withSql(databaseOf(), sql => sql.rows`select m::text as text from monitors m where id = ${id}`);
  t.false(JSON.stringify(rows).includes(secret));
  t.is(
    await withSql(databaseOf(), sql =>
      sql.row`select 1 from monitors where id = ${id} and regions = '{}'`.then(row => row !== null),
    ),
    true,
    'an older version assigns it nowhere',
  );
  const audit = await api('GET', '/v0/audit');
  t.false(JSON.stringify(audit.body).includes(secret));
  t.true(JSON.stringify(audit.body).includes('client_certificate'));
});

test.serial('keys and passwords are sealed again with a new key of the installation, and stay the same', async t => {
  const { post, projectId } = await openMonitorWorld(t, databaseOf());
  const auth = { type: 'basic', username: 'a', password: 'swordfish' };
  const proxy = { url: 'http://proxy.example:3128', username: 'a', password: 'open sesame' };
  const { id } = (await post({ egress: { client_certificate, proxy }, auth })).body;
  const newKey = randomBytes(32).toString('base64');
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  await resealMonitors(pools.background, createKeyring([newKey, testSecretKey]));
  const alone = createKeyring([newKey]);
  const found = await withSql(databaseOf(), sql => findMonitor(sql, alone, projectId, id));
  t.like(found?.monitor.settings.auth, auth);
  t.is(found?.monitor.settings.egress?.client_certificate?.private_key, private_key);
  t.deepEqual(found?.monitor.settings.egress?.proxy, proxy);
});

test.serial('the password at a proxy is shown to nobody, stands in no column, and a hidden one stays', async t => {
  const { post, patch, api, projectId } = await openMonitorWorld(t, databaseOf());
  const proxy = { url: 'http://proxy.example:3128', username: 'a', password: 'open sesame' };
  const { body: made } = await post({ egress: { proxy } });
  t.deepEqual(made.egress.proxy, { ...proxy, password: '********' });
  const hidden = { ...proxy, password: '********', username: 'b' };
  t.deepEqual((await patch(made.id, { egress: { proxy: hidden } })).body.egress.proxy, hidden);
  const keyring = createKeyring([testSecretKey]);
  const found = await withSql(databaseOf(), sql => findMonitor(sql, keyring, projectId, made.id));
  t.deepEqual(found?.monitor.settings.egress?.proxy, { ...proxy, username: 'b' });
  const rows = await withSql(
    databaseOf(),
    sql => sql.rows`select m::text as text from monitors m where id = ${made.id}`,
  );
  for (const shown of [rows, (await api('GET', '/v0/audit')).body])
    t.false(JSON.stringify(shown).includes('open sesame'));
  t.true(JSON.stringify(rows).includes('egress.proxy'));
  t.is((await patch(made.id, { egress: null })).body.egress, null);
});

test.serial('a version that does not know proxies cannot write a monitor that has one', async t => {
  const { post } = await openMonitorWorld(t, databaseOf());
  const { id } = (await post({ egress: { proxy: { url: 'http://proxy.example:3128' } } })).body;
  const write = (set: 'dropped' | 'left') =>
    withSql(databaseOf(), sql =>
      set === 'dropped'
        ? sql.run`update monitors set egress = null, needs = 'egress.1' where id = ${id}`
        : sql.run`update monitors set needs = 'egress.1' where id = ${id}`,
    );
  await t.throwsAsync(write('dropped'), { message: /monitors_sealed_proxy/ });
  await t.throwsAsync(write('left'), { message: /monitors_sealed_proxy/ });
});
