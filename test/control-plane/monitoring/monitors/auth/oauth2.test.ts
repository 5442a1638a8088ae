import { randomBytes } from 'node:crypto';
import test from 'ava';
import { neededOf } from '#control-plane/monitoring/monitors/kinds/rules.ts';
import { monitorPostSchema, withKind } from '#control-plane/monitoring/monitors/monitor.ts';
import { resealMonitors } from '#control-plane/monitoring/monitors/secrets/reseal.ts';
import { findMonitor } from '#control-plane/monitoring/monitors/store.ts';
import { createKeyring } from '#control-plane/platform/secrets/keyring.ts';
import { testSecretKey, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';
import { faultsOf } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);
const auth = { type: 'oauth2', token_url: 'https://id.example/token', client_id: 'shop', client_secret: 'swordfish-1' };
const defaults = { scopes: [], audience: null, client_auth: 'header' };
const monitor = { name: 'm', interval_seconds: 60, regions: ['a'], url: 'https://a.example/' };

test('a monitor with client credentials needs agents that fetch tokens', t => {
  const settings = withKind(monitorPostSchema.parse({ ...monitor, auth }));
  t.deepEqual(settings.auth as object, { ...auth, ...defaults });
  t.deepEqual(neededOf(settings), ['auth.oauth2', 'gateway.2']);
});

for (const [title, changes, faults] of [
  ['by a URL of another scheme', { token_url: 'ftp://id.example/' }, ['/auth/token_url format']],
  ['by credentials in the URL', { token_url: 'https://a:b@id.example/' }, ['/auth/token_url format']],
  ['by a secret in the URL', { token_url: 'https://id.example/{{secret.ANY}}' }, ['/auth/token_url not_allowed']],
  ['without an ID', { client_id: '' }, ['/auth/client_id too_short']],
  ['with a long ID', { client_id: 'ü'.repeat(257) }, ['/auth/client_id too_long']],
  ['with a line break in the secret', { client_secret: 'a\nb' }, ['/auth/client_secret format']],
  ['with a blank in a scope', { scopes: ['a b'] }, ['/auth/scopes/0 format']],
  ['with a scope twice', { scopes: ['a', 'a'] }, ['/auth/scopes/1 not_allowed']],
  ['with 21 scopes', { scopes: Array.from({ length: 21 }, (_, index) => `s${index}`) }, ['/auth/scopes too_long']],
  ['with another way to sign in', { client_auth: 'jwt' }, ['/auth/client_auth enum']],
  ['with a secret that is unknown', { client_secret: '{{secret.NONE}}' }, ['/auth/client_secret unknown_reference']],
  ['with a secret for the target alone', { client_id: '{{secret.TARGET}}' }, ['/auth/client_id not_allowed']],
  ['with a secret for the endpoint', { client_id: '{{secret.ENDPOINT}}' }, []],
  ['with a secret of lines', { client_secret: '{{secret.LINES}}' }, ['/auth/client_secret format']],
] as const)
  test(`client credentials ${title}`, async t => {
    const { api, post } = await openMonitorWorld(t, databaseOf(), 1);
    const make = (name: string, value: string, hosts: string[] | null = null) =>
      api('POST', '/v0/secrets', { name, value, hosts });
    if (title.includes('secret')) {
      await make('ANY', 'long enough');
      await make('LINES', 'one\ntwo lines');
      await make('TARGET', 'long enough', ['example.com']);
      await make('ENDPOINT', 'long enough', ['id.example']);
    }
    t.deepEqual(faultsOf(await post({ auth: { ...auth, ...changes } })), [...faults]);
  });

test.serial(
  'the secret is shown to nobody, stands in no column, stays while it is hidden, and is sealed again',
  async t => {
    const { post, patch, api, projectId, regions } = await openMonitorWorld(t, databaseOf());
    const { body: made } = await post({ auth: { ...auth, token_url: `${auth.token_url}?key=swordfish-2` } });
    const hidden = { ...made.auth, client_secret: '********' };
    t.deepEqual(made.auth, hidden);
    t.like(made, { headers: {} });
    const changed = await patch(made.id, { auth: { ...hidden, token_url: auth.token_url, scopes: ['read'] } });
    t.like(changed.body, { config_version: 2, auth: { scopes: ['read'], client_secret: '********' } });
    t.is((await patch(made.id, { auth: changed.body.auth })).body.config_version, 2, 'nothing changed');
    t.deepEqual(faultsOf(await patch(made.id, { auth: { type: 'bearer', token: '********' } })), [
      '/auth/token not_allowed',
    ]);
    const multistep = { steps: [{ name: 'a', url: 'https://a.example/', auth }] };
    const common = { name: 'steps', kind: 'multistep', interval_seconds: 60, regions };
    const { body: ofSteps } = await api('POST', '/v0/monitors', { ...common, multistep });
    const settingsOf = async (id: string, ...keys: string[]) =>
      (await withSql(databaseOf(), sql => findMonitor(sql, createKeyring(keys), projectId, id)))?.monitor.settings;
    const settingsBy = (...keys: string[]) => settingsOf(made.id, ...keys);
    const stored = { ...auth, ...defaults, scopes: ['read'] };
    t.deepEqual((await settingsBy(testSecretKey))?.auth as object, stored);
    const rows = await withSql(databaseOf(), sql => sql.rows`select m::text as text from monitors m`);
    const audit = (await api('GET', '/v0/audit')).body;
    t.false(JSON.stringify([rows, audit]).includes('swordfish'));
    t.true(JSON.stringify(audit).includes('id.example'));
    const newKey = randomBytes(32).toString('base64');
    const pools = patientPools(databaseOf());
    t.teardown(() => pools.end());
    await resealMonitors(pools.background, createKeyring([newKey, testSecretKey]));
    t.deepEqual((await settingsBy(newKey))?.auth as object, stored);
    const [step] = (await settingsOf(ofSteps.id, newKey))?.multistep?.steps ?? [];
    t.deepEqual(step?.auth as object, { ...auth, ...defaults });
    await resealMonitors(pools.background, createKeyring([testSecretKey, newKey]));
    const basic = { type: 'basic', username: 'a', password: 'b' };
    t.is((await patch(made.id, { auth: basic })).body.auth.type, 'basic');
    t.is((await patch(made.id, { auth: null })).body.auth, null);
  },
);

test.serial('a version that does not know client credentials sees none, assigns nothing, and cannot write', async t => {
  const { post } = await openMonitorWorld(t, databaseOf());
  const { id } = (await post({ auth })).body;
  const row = await withSql(
    databaseOf(),
    sql => sql.row`select auth, sealed_auth, regions, needs from monitors where id = ${id}`,
  );
  t.deepEqual(row, { auth: null, sealed_auth: null, regions: [], needs: 'auth.oauth2 gateway.2' });
  const write = withSql(databaseOf(), sql => sql.run`update monitors set needs = 'gateway.2' where id = ${id}`);
  await t.throwsAsync(write, { message: /monitors_oauth2/ });
});

test('client credentials are planned, applied and exported as configuration, the secret by its name alone', async t => {
  const { api, regions, url, token } = await openMonitorWorld(t, databaseOf());
  const text = `upquorum: 1
manager: git-ops
secrets:
  - { key: CLIENT, value: { $env: CLIENT } }
monitors:
  - key: shop
    name: Shop
    url: "https://example.com/"
    interval_seconds: 60
    regions: [${regions.join(', ')}]
    auth:
      type: oauth2
      token_url: "https://id.example/token"
      client_id: shop
      client_secret: "{{secret.CLIENT}}"
`;
  const env = { CLIENT: 'swordfish-1' };
  const plan = (document: string, given: object) => api('POST', '/v0/config/plan', { document, env: given });
  const planned = (await plan(text, env)).body;
  t.like(planned, { counts: { create: 2 } }, JSON.stringify(planned));
  t.is((await api('POST', '/v0/config/apply', { plan_id: planned.id, expected_deletes: 0 })).status, 200);
  t.like((await plan(text, env)).body, { counts: { unchanged: 2 }, actions: [] });
  const changed = (await plan(text.replace('client_id: shop', 'client_id: store'), env)).body;
  t.like(changed.actions[0].changes[0], { pointer: '/auth/client_id', before: 'shop', after: 'store' });
  const literal = (await plan(text.replace('"{{secret.CLIENT}}"', 'in-clear-text'), env)).body;
  t.like(literal.warnings[0], { pointer: '/monitors/0/auth/client_secret', code: 'literal_secret' });
  t.false(JSON.stringify(literal).includes('in-clear-text'));
  const exported = await fetch(`${url}/v0/config/export?manager=git-ops`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const document = await exported.text();
  t.true(document.includes('token_url'), document);
  t.false(document.includes('swordfish'));
  const values = { SECRETS_CLIENT_VALUE: env.CLIENT, MONITORS_SHOP_AUTH_CLIENT_SECRET: '{{secret.CLIENT}}' };
  const again = (await plan(document, values)).body;
  t.like(again, { counts: { unchanged: 2 }, actions: [] }, JSON.stringify([document, again]));
});
