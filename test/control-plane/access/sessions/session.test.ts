import test, { type ExecutionContext } from 'ava';
import { newBearer } from '#control-plane/platform/secrets/bearer.ts';
import { createKeyring } from '#control-plane/platform/secrets/keyring.ts';
import { type Api, apiOf, createTenant, type Reply, startReplica, testSecretKey } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { problemFault } from '#test/support/problem.ts';
import { sharedPair, sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
const sameOrigin = { 'sec-fetch-site': 'same-origin' };

type SignedIn = { api: Api; url: string; owner: Api; token: string; headers: Record<string, string>; csrf: string };

test('a token signs in, and its session is valid on every replica', async t => {
  const first = await signIn(t);
  const [, second] = await sharedPair(databaseOf());
  for (const url of [first.url, second.url]) {
    const reply = await apiOf(url, '')('GET', '/v0/project', undefined, first.headers);
    t.is(reply.status, 200);
    const session = await apiOf(url, '')('GET', '/dashboard/session', undefined, {
      cookie: first.headers.cookie ?? '',
    });
    t.like(session.body, { signed_in: true, csrf_token: first.csrf, scopes: ['*'] });
  }
  const made = await first.api('POST', '/v0/tokens', { name: 'by cookie', scopes: ['*'] }, first.headers);
  t.is(made.status, 201);
});

test('the cookie is bound to host and site, hidden from scripts, and does not reveal the token', async t => {
  const { cookie, token } = await signIn(t);
  t.regex(cookie, /^upquorum=[\w-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
  const value = Buffer.from(cookie.slice('upquorum='.length).split(';')[0] ?? '', 'base64url').toString('latin1');
  t.false(value.includes(token.slice(4, 12)));
  const replica = await startReplica(databaseOf(), { publicUrl: 'https://up.example' });
  t.teardown(() => replica.stop());
  const secure = await apiOf(replica.url, '')('POST', '/dashboard/session', { token });
  t.regex(String(secure.headers['set-cookie']), /^__Host-upquorum=.*; SameSite=Strict; Secure$/);
});

test('the cookie alone is not a credential: every method requires the CSRF token of the same session', async t => {
  const { api, headers, csrf } = await signIn(t);
  const other = await signIn(t);
  const wrong: Record<string, string>[] = [
    {},
    { 'x-csrf-token': '' },
    { 'x-csrf-token': `${csrf}x` },
    { 'x-csrf-token': other.csrf },
  ];
  for (const extra of wrong) {
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      const path = method === 'DELETE' ? '/dashboard/session' : method === 'GET' ? '/v0/monitors' : '/v0/tokens';
      const reply = await api(method, path, undefined, { cookie: headers.cookie ?? '', ...extra });
      refused(t, reply, 401, 'missing_token');
    }
  }
});

test('a request from another site is refused, whatever it carries', async t => {
  const { api, headers, token } = await signIn(t);
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'not an origin' },
    { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
  ];
  for (const extra of foreign) {
    const message = JSON.stringify(extra);
    for (const [method, path] of [
      ['GET', '/v0/monitors'],
      ['GET', '/dashboard/session'],
      ['DELETE', '/dashboard/session'],
    ] as const)
      refused(t, await api(method, path, undefined, { ...headers, ...extra }), 403, 'origin_not_allowed', message);
    refused(t, await api('POST', '/dashboard/session', { token }, extra), 403, 'origin_not_allowed', message);
  }
  t.is((await api('GET', '/v0/monitors', undefined, { ...headers, ...sameOrigin })).status, 200);
});

test('an Authorization header wins over the session', async t => {
  const { api, headers } = await signIn(t);
  const reply = await api('GET', '/v0/project', undefined, { ...headers, authorization: `Bearer ${newBearer('upq')}` });
  refused(t, reply, 401, 'invalid_token');
});

test('a revoked token ends its session at once, and an altered cookie is no session', async t => {
  const { api, owner, headers } = await signIn(t);
  const scoped = (await owner('POST', '/v0/tokens', { name: 'short', scopes: ['project:read'] })).body;
  const scopedHeaders = sessionHeaders(await api('POST', '/dashboard/session', { token: scoped.token }));
  t.is((await api('GET', '/v0/project', undefined, scopedHeaders)).status, 200);
  refused(t, await api('GET', '/v0/monitors', undefined, scopedHeaders), 403, 'insufficient_scope');
  t.is((await owner('DELETE', `/v0/tokens/${scoped.id}`)).status, 204);
  refused(t, await api('GET', '/v0/project', undefined, scopedHeaders), 401, 'token_revoked');
  t.like((await api('GET', '/dashboard/session', undefined, scopedHeaders)).body, { signed_in: false });

  const sealed = headers.cookie ?? '';
  const changed = `${sealed.slice(0, -4)}${sealed.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
  for (const cookie of [changed, 'upquorum=', 'upquorum=x', `upquorum=${'a'.repeat(6000)}`, 'other=1'])
    refused(t, await api('GET', '/v0/project', undefined, { ...headers, cookie }), 401, 'missing_token');
});

for (const sessionHours of [12, 1])
  test(`a session ends after ${sessionHours} h`, async t => {
    let ahead = 0;
    const replica = await startReplica(databaseOf(), { sessionHours }, { now: () => Date.now() + ahead });
    t.teardown(() => replica.stop());
    const { token } = await createTenant(databaseOf());
    const api = apiOf(replica.url, '');
    const reply = await api('POST', '/dashboard/session', { token });
    t.true(String(reply.headers['set-cookie']).includes(`Max-Age=${sessionHours * 3600};`));
    const headers = sessionHeaders(reply);
    ahead = (sessionHours - 0.1) * 3_600_000;
    t.is((await api('GET', '/v0/project', undefined, headers)).status, 200);
    ahead = (sessionHours + 0.1) * 3_600_000;
    refused(t, await api('GET', '/v0/project', undefined, headers), 401, 'missing_token');
  });

test('signing out removes the cookie and ends the session, on every replica and for every copy', async t => {
  const { api, headers, token } = await signIn(t);
  const [, second] = await sharedPair(databaseOf());
  const another = sessionHeaders(await api('POST', '/dashboard/session', { token }));
  const reply = await api('DELETE', '/dashboard/session', undefined, headers);
  t.is(reply.status, 204);
  t.regex(String(reply.headers['set-cookie']), /^upquorum=; Path=\/; Max-Age=0; HttpOnly/);
  for (const call of [api, apiOf(second.url, '')]) {
    refused(t, await call('GET', '/v0/project', undefined, headers), 401, 'missing_token');
    t.like((await call('GET', '/dashboard/session', undefined, headers)).body, { signed_in: false });
  }
  t.is((await api('DELETE', '/dashboard/session', undefined, headers)).status, 204, 'again is no error');
  t.is((await api('GET', '/v0/project', undefined, another)).status, 200, 'another session of the token goes on');
});

test('a cookie that versions up to 0.10 sealed is no session: nothing that ends all sessions would end it', async t => {
  const { api, token } = await signIn(t);
  const sealed = { token, csrf: 'a-csrf-token', expiresAt: Date.now() + 60_000 };
  const value = createKeyring([testSecretKey]).seal(JSON.stringify(sealed), 'dashboard session');
  const headers = { cookie: `upquorum=${Buffer.from(value).toString('base64url')}`, 'x-csrf-token': sealed.csrf };
  refused(t, await api('GET', '/v0/project', undefined, headers), 401, 'missing_token');
  t.like((await api('GET', '/dashboard/session', undefined, headers)).body, { signed_in: false });
});

async function signIn(t: ExecutionContext): Promise<SignedIn & { cookie: string }> {
  const replica = await sharedReplica(databaseOf());
  const { token } = await createTenant(databaseOf());
  const api = apiOf(replica.url, '');
  const reply = await api('POST', '/dashboard/session', { token }, sameOrigin);
  t.is(reply.status, 201);
  const headers = sessionHeaders(reply);
  const cookie = String(reply.headers['set-cookie']);
  return {
    api,
    url: replica.url,
    owner: apiOf(replica.url, token),
    token,
    headers,
    csrf: reply.body.csrf_token,
    cookie,
  };
}

function sessionHeaders(reply: Reply): Record<string, string> {
  const cookie = String(reply.headers['set-cookie']).split(';')[0] ?? '';
  return { cookie, 'x-csrf-token': reply.body.csrf_token };
}

function refused(t: ExecutionContext, reply: Reply, status: number, code: string, message = ''): void {
  t.is(reply.status, status, message);
  t.is(reply.body.code, code, message);
  t.is(problemFault(status, String(reply.headers['content-type']), JSON.stringify(reply.body)), null, message);
}
