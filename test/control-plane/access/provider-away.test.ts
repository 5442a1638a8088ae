import test from 'ava';
import { createProvider } from '#control-plane/access/oidc/provider.ts';
import { readSignInSettings } from '#control-plane/access/oidc/settings.ts';
import { EnvReader } from '#shared/env.ts';
import { createLog } from '#shared/log.ts';
import { parseRange } from '#shared/network/guard.ts';
import { SoftwareAuthenticator } from '#test/support/authenticator.ts';
import { apiOf, createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { type IdentityProvider, startIdentityProvider } from '#test/support/identity-provider.ts';
import { personOf, sessionHeaders, someAddress } from '#test/support/people.ts';
import { signInByProvider } from '#test/support/provider-sign-in.ts';

const databaseOf = useDatabase(test);
const origin = 'http://localhost:8080';
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

function settingsFor({ issuer }: IdentityProvider) {
  const env = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'up', OIDC_ALLOWED_DOMAINS: 'example.com' };
  return readSignInSettings(new EnvReader(env), origin);
}

test('without its provider the installation starts, lets in by all else, and needs no restart later', async t => {
  await using provider = await startIdentityProvider();
  provider.isAway = true;
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  const trustedProxies = [parseRange('127.0.0.0/8')].filter(range => range !== null);
  const config = { publicUrl: origin, trustedProxies, signIn: settingsFor(provider) };
  const replicas = [await startReplica(databaseOf(), config, clock), await startReplica(databaseOf(), config, clock)];
  t.teardown(() => Promise.all(replicas.map(replica => replica.stop())));
  const urls = [replicas[0]?.url ?? '', replicas[1]?.url ?? ''] as const;
  const { token, projectId } = await createTenant(databaseOf());
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    apiOf(urls[0], '')('POST', path, body, { 'x-forwarded-for': someAddress(), ...headers });
  t.is((await apiOf(urls[0], '')('GET', '/readyz')).status, 200);
  t.is((await post('/dashboard/session', { token })).status, 201, 'tokens');
  const ada = await personOf(t, databaseOf(), urls[0], { name: 'Ada', project: projectId });
  const authenticator = new SoftwareAuthenticator(origin);
  const made = (await post('/auth/passkeys/options', { purpose: 'register' }, ada.headers)).body;
  const added = { ticket: made.ticket, credential: authenticator.create(made.public_key) };
  t.is((await post('/auth/passkeys/verify', added, ada.headers)).status, 200);
  const asked = (await post('/auth/passkeys/options', { purpose: 'sign_in' })).body;
  const used = { ticket: asked.ticket, credential: authenticator.get(asked.public_key) };
  const signedIn = await post('/auth/passkeys/verify', used);
  t.is(signedIn.status, 201, 'passkeys');
  const away = await post('/auth/oidc/start', { purpose: 'sign_in' });
  t.like(away, { status: 503, body: { code: 'unavailable' } });
  t.is(away.headers['set-cookie'], undefined);

  ahead += minuteMs;
  provider.isAway = false;
  const eve = { sub: 'eve', name: 'Eve', email: 'eve@example.com', email_verified: true };
  const here = await signInByProvider(provider, [urls[0], urls[0]], eve);
  t.is(here.location, '/', 'it works without a restart');
  // Gone again while somebody is there; the other replica never knew it.
  const started = await post('/auth/oidc/start', { purpose: 'sign_in' });
  const cookie = String([started.headers['set-cookie']].flat()[0]).split(';')[0] ?? '';
  const path = provider.signIn(started.body.url, eve);
  provider.isAway = true;
  const back = await fetch(`${urls[1]}${path}`, { redirect: 'manual', headers: { cookie } });
  t.is(back.headers.get('location'), '/?sign_in_error=provider_unavailable');
  t.is((await apiOf(urls[1], '')('GET', '/v0/me', undefined, sessionHeaders(signedIn))).status, 200, 'nobody is out');
  t.is((await apiOf(urls[1], '')('GET', '/v0/me', undefined, here.headers)).status, 200);
  ahead += minuteMs;
  provider.isAway = false;
  t.is((await signInByProvider(provider, [urls[0], urls[1]], eve)).location, '/');
});

test('what the provider said of itself is good for an hour, and for a day while it is away', async t => {
  await using provider = await startIdentityProvider();
  let nowMs = 0;
  const { oidc } = settingsFor(provider);
  if (oidc === null) return t.fail();
  const lines: string[] = [];
  const log = createLog({ name: 'test', level: 'trace', destination: { write: line => lines.push(line) } });
  const known = createProvider(oidc, { clock: { now: () => nowMs }, log });
  const first = await known.configuration();
  provider.isAway = true;
  t.is(await known.configuration(), first);
  nowMs = 23 * hourMs;
  t.is(await known.configuration(), first);
  nowMs = 24 * hourMs;
  await t.throwsAsync(known.configuration(), { message: 'provider_unavailable' });
  provider.isAway = false;
  t.not(await known.configuration(), first);
  const other = createProvider({ ...oidc, issuer: `${oidc.issuer}/` }, { clock: { now: () => nowMs }, log });
  await t.throwsAsync(other.configuration(), { message: 'provider_misconfigured' });
  t.is(lines.filter(line => line.includes('correct OIDC_ISSUER')).length, 1);
});
