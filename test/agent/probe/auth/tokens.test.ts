import test from 'ava';
import fc from 'fast-check';
import { TokenCache, tokenKey, usedForMs } from '#agent/probe/auth/token-cache.ts';
import { tokenOf, tokenRequest } from '#agent/probe/auth/token-request.ts';
import type { WireAuth } from '#shared/checks/auth.ts';

const credentials: WireAuth = {
  type: 'oauth2',
  token_url: 'https://id.example/token',
  client_id: 'a:b',
  client_secret: 'c d+%',
  scopes: ['read', 'write'],
  audience: 'https://api.example/',
  client_auth: 'header',
};

test('the client signs in by a header that is form-encoded first, or in the body', t => {
  const { headers, body } = tokenRequest(credentials);
  t.is(headers.Authorization, `Basic ${Buffer.from('a%3Ab:c+d%2B%25').toString('base64')}`);
  t.is(body, 'grant_type=client_credentials&scope=read+write&audience=https%3A%2F%2Fapi.example%2F');
  const inBody = tokenRequest({ ...credentials, client_auth: 'body', scopes: [], audience: null });
  t.false('Authorization' in inBody.headers);
  t.is(inBody.body, 'grant_type=client_credentials&client_id=a%3Ab&client_secret=c+d%2B%25');
});

test('a token is a bearer in JSON; anything else is refused without quoting it', t => {
  const answer = (fields: object) => JSON.stringify({ access_token: 'abc', token_type: 'Bearer', ...fields });
  t.deepEqual(tokenOf(200, answer({}), 10), { value: 'abc', lifetimeS: null });
  t.deepEqual(tokenOf(200, answer({ token_type: 'bearer', expires_in: '60' }), 10), { value: 'abc', lifetimeS: 60 });
  t.is(tokenOf(401, 'secret', 6), 'the token endpoint answered 401');
  t.is(typeof tokenOf(200, answer({}), 65_537), 'string');
  for (const fields of [{ access_token: 'a b' }, { access_token: 1 }, { access_token: '' }, { token_type: 'mac' }])
    t.is(typeof tokenOf(200, answer(fields), 10), 'string');
  fc.assert(fc.property(fc.json(), text => void tokenOf(200, text, 1)));
});

test('a token is used a tenth less than it lasts, at most a minute less and a day in all', t => {
  t.deepEqual([null, 0, -1, 100, 3600, 10 ** 9].map(usedForMs), [300_000, 0, 0, 90_000, 3_540_000, 86_340_000]);
});

test('twenty checks fetch one token; a failure is tried again, and a refused one is forgotten', async t => {
  let [nowMs, fetches] = [0, 0];
  const cache = new TokenCache(() => nowMs);
  const fetch = async () => ({ value: `t${++fetches}`, lifetimeS: 100 });
  const all = await Promise.all(Array.from({ length: 20 }, () => cache.get('k', fetch)));
  t.deepEqual([fetches, new Set(all.map(({ value }) => value)).size], [1, 1]);
  t.deepEqual(await cache.get('k', fetch), { value: 't1', isFresh: false });
  nowMs = 90_000;
  t.deepEqual(await cache.get('k', fetch), { value: 't2', isFresh: true });
  cache.forget('k', 't1');
  t.is((await cache.get('k', fetch)).value, 't2', 'another one was fetched meanwhile');
  cache.forget('k', 't2');
  t.is((await cache.get('k', fetch)).value, 't3');
  await t.throwsAsync(cache.get('other', () => Promise.reject(new Error('down'))));
  t.is((await cache.get('other', fetch)).value, 't4');
});

test('tokens take a bounded part of memory, and the oldest go first', async t => {
  const cache = new TokenCache(() => 0);
  const fetch = async () => ({ value: 'x'.repeat(8192), lifetimeS: 100 });
  for (let index = 0; index < 2000; index++) await cache.get(`k${index}`, fetch);
  t.deepEqual([(await cache.get('k1999', fetch)).isFresh, (await cache.get('k0', fetch)).isFresh], [false, true]);
});

test('tokens are told apart by project and settings', t => {
  const keys = [
    tokenKey('a', credentials, undefined),
    tokenKey('b', credentials, undefined),
    tokenKey('a', { ...credentials, client_secret: 'x' }, undefined),
    tokenKey('a', credentials, { ip_family: 'ipv4' }),
  ];
  t.is(new Set(keys).size, 4);
  t.false(keys.some(key => key.includes('c d')));
});
