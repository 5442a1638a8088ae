import test from 'ava';
import { readSignInSettings } from '#control-plane/access/oidc/settings.ts';
import { EnvReader } from '#shared/env.ts';
import { parseRange } from '#shared/network/guard.ts';
import { apiOf, createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startIdentityProvider } from '#test/support/identity-provider.ts';
import { personOf, sessionHeaders, someAddress } from '#test/support/people.ts';

const databaseOf = useDatabase(test);
const origin = 'http://localhost:8080';
const host = 'evil.example';

test('at a host that somebody else controls nothing is gained: cookies, links, passkeys, origins', async t => {
  await using provider = await startIdentityProvider();
  const signIn = readSignInSettings(new EnvReader({ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'up' }), origin);
  const trustedProxies = [parseRange('127.0.0.0/8')].filter(range => range !== null);
  const replica = await startReplica(databaseOf(), { publicUrl: origin, trustedProxies, signIn });
  t.teardown(() => replica.stop());
  const { projectId, token } = await createTenant(databaseOf());
  const ada = await personOf(t, databaseOf(), replica.url, { name: 'Ada', project: projectId });
  const lies = { host, 'x-forwarded-host': host, forwarded: `host=${host}`, 'x-forwarded-for': someAddress() };
  const call = apiOf(replica.url, '');
  const own = { ...ada.headers, 'x-project-id': projectId };

  const rebound = await call('POST', '/dashboard/session', { token }, { ...lies, origin: `http://${host}` });
  t.is(rebound.body.code, 'origin_not_allowed', 'a page at a name that leads here');
  const signedIn = await call('POST', '/dashboard/session', { token }, { ...lies, origin });
  t.is(signedIn.status, 201);
  t.notRegex(String(signedIn.headers['set-cookie']), /domain=/i, 'a cookie is of one host');
  const invited = await call('POST', '/v0/invitations', { role: 'viewer' }, { ...own, ...lies });
  t.true(invited.body.url.startsWith(`${origin}/join#`));
  const started = await call('POST', '/auth/oidc/start', { purpose: 'sign_in' }, lies);
  const asked = new URL(started.body.url).searchParams;
  t.is(asked.get('redirect_uri'), `${origin}/auth/oidc/callback`);
  t.notRegex(String(started.headers['set-cookie']), /domain=/i);
  const options = await call('POST', '/auth/passkeys/options', { purpose: 'sign_in' }, lies);
  t.is(options.body.public_key.rpId, 'localhost');
  for (const { body, headers } of [signedIn, invited, started, options])
    t.false(JSON.stringify([body, headers]).includes(host));

  // A page there gets nothing from here, whatever it sends along, and is not answered for.
  for (const from of [
    { origin: `http://${host}` },
    { origin: origin.replace('http', 'https'), 'sec-fetch-site': 'cross-site' },
  ])
    for (const [method, path, body] of [
      ['GET', '/v0/me'],
      ['POST', '/v0/walls', { name: 'x' }],
      ['GET', '/dashboard/session'],
      ['POST', '/auth/oidc/start', { purpose: 'sign_in' }],
      ['POST', '/auth/passkeys/options', { purpose: 'confirm' }],
    ] as const) {
      const reply = await call(method, path, body, { ...own, ...from, host: 'localhost:8080' });
      t.deepEqual([reply.status, reply.body.code], [403, 'origin_not_allowed'], `${method} ${path}`);
      for (const name of ['access-control-allow-origin', 'access-control-allow-credentials'])
        t.is(reply.headers[name], undefined);
    }
  const preflight = await call('OPTIONS', '/v0/me', undefined, { origin: `http://${host}` });
  t.is(preflight.headers['access-control-allow-origin'], undefined);
  // The session of one host is none at another: the browser does not send it, and a page there knows no CSRF token.
  const other = { ...sessionHeaders(signedIn), origin: `http://${host}`, host };
  t.is((await call('GET', '/v0/me', undefined, other)).body.code, 'origin_not_allowed');
  // A proxy that changes `Host` changes nothing.
  const behind = await call('GET', '/v0/me', undefined, {
    ...sessionHeaders(signedIn),
    origin,
    host: '10.0.0.11:8080',
  });
  t.is(behind.status, 200);
});
