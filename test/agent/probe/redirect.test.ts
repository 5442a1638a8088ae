import test from 'ava';
import fc from 'fast-check';
import { followRedirect, type Hop, isRedirect } from '#agent/probe/redirect.ts';

const hop = (changes: Partial<Hop> = {}): Hop => ({
  url: new URL('https://example.org/start?a=1'),
  method: 'GET',
  headers: {},
  body: null,
  ...changes,
});

/** The next hop; throws if the redirect is refused. */
function follow(from: Hop, status: number, location: string): Hop {
  const next = followRedirect(from, status, location);
  if (typeof next === 'string') throw new Error(next);
  return next;
}

test('only 301, 302, 303, 307 and 308 are redirects', t => {
  const redirects = Array.from({ length: 900 }, (_, index) => index + 100).filter(isRedirect);
  t.deepEqual(redirects, [301, 302, 303, 307, 308]);
});

test('to another origin goes no header that holds a secret, in any form', t => {
  const secret = 'pass word/1';
  const headers = {
    'User-Agent': `probe ${encodeURIComponent(secret)}`,
    Accept: `text/html;q=${secret}`,
    'Accept-Language': 'en',
  };
  const next = (to: string) => {
    const found = followRedirect(hop({ headers }), 302, to, [secret]);
    return typeof found === 'string' ? found : Object.keys(found.headers);
  };
  t.deepEqual(next('https://other.example/'), ['Accept-Language']);
  t.deepEqual(next('/here'), Object.keys(headers));
});

const methods: [status: number, method: Hop['method'], next: Hop['method'], keepsBody: boolean][] = [
  [301, 'POST', 'GET', false],
  [302, 'POST', 'GET', false],
  [303, 'POST', 'GET', false],
  [307, 'POST', 'POST', true],
  [308, 'POST', 'POST', true],
  [301, 'PUT', 'PUT', true],
  [302, 'PATCH', 'PATCH', true],
  [303, 'PUT', 'GET', false],
  [303, 'DELETE', 'GET', false],
  [308, 'DELETE', 'DELETE', true],
  [301, 'GET', 'GET', true],
  [303, 'GET', 'GET', false],
  [301, 'HEAD', 'HEAD', true],
  [303, 'HEAD', 'HEAD', true],
  [302, 'OPTIONS', 'OPTIONS', true],
];
for (const [status, method, expected, keepsBody] of methods)
  test(`a ${status} turns ${method} into ${expected} ${keepsBody ? 'with' : 'without'} the body`, t => {
    const next = follow(hop({ method, body: 'content' }), status, '/next');
    t.is(next.method, expected);
    t.is(next.body, keepsBody ? 'content' : null);
  });

test('headers that describe the body are removed with it, and all others stay', t => {
  const headers = { 'Content-Type': 'application/json', 'content-encoding': 'gzip', 'X-Key': 'k', Accept: '*/*' };
  const from = hop({ method: 'POST', body: '{}', headers });
  t.deepEqual(follow(from, 303, '/next').headers, { 'X-Key': 'k', Accept: '*/*' });
  t.deepEqual(follow(from, 307, '/next').headers, headers);
});

const locations: [location: string, url: string][] = [
  ['/next', 'https://example.org/next'],
  ['next', 'https://example.org/next'],
  ['?b=2', 'https://example.org/start?b=2'],
  ['//other.test/x', 'https://other.test/x'],
  ['http://other.test', 'http://other.test/'],
  ['https://example.org:8443/', 'https://example.org:8443/'],
  ['', 'https://example.org/start?a=1'],
  ['/with space', 'https://example.org/with%20space'],
  ['http://[::1]/', 'http://[::1]/'],
];
for (const [location, url] of locations)
  test(`the location "${location}" leads to ${url}`, t => {
    t.is(follow(hop(), 302, location).url.href, url);
  });

const refused: [location: string, reason: string][] = [
  ['http://[', 'the redirect has an invalid address'],
  ['http://exa mple/', 'the redirect has an invalid address'],
  ['ftp://example.org/', 'the redirect is not to http or https'],
  ['file:///etc/passwd', 'the redirect is not to http or https'],
  ['javascript:alert(1)', 'the redirect is not to http or https'],
  ['data:text/plain,x', 'the redirect is not to http or https'],
  ['https://user@example.org/', 'the redirect address contains credentials'],
  ['https://user:word@example.org/', 'the redirect address contains credentials'],
  ['//:word@example.org/', 'the redirect address contains credentials'],
];
for (const [location, reason] of refused)
  test(`the location "${location}" is refused: ${reason}`, t => {
    t.is(followRedirect(hop(), 302, location), reason);
  });

const own = { 'user-agent': 'mine', Accept: 'text/html', 'Accept-Language': 'de' };

test('an upgrade to https of the same host keeps headers and body, the way back does not', t => {
  const headers = { ...own, Authorization: 'Bearer secret', 'X-Key': 'k' };
  const from = hop({ url: new URL('http://example.org/'), method: 'POST', headers, body: 'content' });
  const upgraded = follow(from, 308, 'https://EXAMPLE.org/');
  t.deepEqual([upgraded.headers, upgraded.body], [headers, 'content']);
  t.deepEqual(follow(from, 308, 'https://example.org:8443/').headers, headers);
  t.deepEqual(follow(upgraded, 308, 'http://example.org/').headers, own);
  t.deepEqual(follow(from, 308, 'https://www.example.org/').headers, own);
});

test('only what describes the client reaches another origin, whatever status and method', t => {
  const secret = { ...own, Authorization: 'Bearer secret', Cookie: 'a=b', 'X-Key': 'k', 'Content-Type': 'text/plain' };
  const others = ['http://example.org/', 'https://example.org:444/', 'https://www.example.org/', '//example.net/'];
  fc.assert(
    fc.property(
      fc.constantFrom(301, 302, 303, 307, 308),
      fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
      fc.constantFrom(...others),
      (status, method, location) => {
        const next = follow(hop({ method, headers: secret, body: 'secret' }), status, location);
        t.deepEqual([next.headers, next.body], [own, null]);
      },
    ),
  );
});

test('a redirect back to the first origin does not bring the headers back', t => {
  const away = follow(hop({ headers: { 'X-Key': 'k' } }), 307, 'https://other.test/');
  t.deepEqual(follow(away, 307, 'https://example.org/').headers, {});
});
