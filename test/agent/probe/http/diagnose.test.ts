import test from 'ava';
import fc from 'fast-check';
import { type Answer, diagnose, needsBody } from '#agent/probe/http/diagnose.ts';
import type { Diagnosis } from '#shared/checks/diagnosis.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

type Seen = { code?: number; to?: string; from?: string; body?: string; headers?: Record<string, string> };

function answer({ code = 200, from = 'https://shop.example.com/', to, body = '', headers = {} }: Seen): Answer {
  const urls = [from, ...(to === undefined ? [] : [to])].map(url => new URL(url));
  return { statusCode: code, urls, header: name => headers[name], body };
}

const html = { 'content-type': 'text/html; charset=utf-8' };
const cloudflare = { server: 'cloudflare', 'cf-ray': '8f2a1c3d4e5f6a7b-FRA' };
const akamai = { server: 'AkamaiGHost', 'mime-version': '1.0', 'content-type': 'text/html' };
const cloudfront = {
  server: 'CloudFront',
  'x-cache': 'Error from cloudfront',
  via: '1.1 a.cloudfront.net (CloudFront)',
};
const form = '<form><input name="user"><INPUT id=p  type = "password" name="secret"></form>';
const incapsula =
  '<iframe src="/_Incapsula_Resource?CWUDNSAI=23">Request unsuccessful. Incapsula incident ID: 12-3</iframe>';
const reference = 'You don’t have permission to access this server.<P>Reference&#32;&#35;18&#46;4f2e1160';

const recorded: readonly [title: string, seen: Seen, expected: string][] = [
  [
    'a challenge of Cloudflare',
    { code: 403, headers: { ...cloudflare, 'cf-mitigated': 'challenge' } },
    'challenge cloudflare certain',
  ],
  [
    'a challenge of Vercel',
    { code: 429, headers: { server: 'Vercel', 'x-vercel-mitigated': 'challenge' } },
    'challenge vercel certain',
  ],
  [
    'a challenge of AWS WAF',
    { code: 202, headers: { server: 'awselb/2.0', 'x-amzn-waf-action': 'challenge' } },
    'challenge aws_waf certain',
  ],
  ['a captcha of AWS WAF', { code: 405, headers: { 'x-amzn-waf-action': 'captcha' } }, 'challenge aws_waf certain'],
  ...[520, 521, 522, 523, 524, 525, 526, 530]
    .map(
      code =>
        [`${code} of Cloudflare`, { code, headers: cloudflare }, 'origin_unreachable cloudflare certain'] as const,
    )
    .map(([title, seen, expected]): [string, Seen, string] => [title, seen, expected]),
  ['403 of Cloudflare', { code: 403, headers: cloudflare }, 'blocked cloudflare likely'],
  ['429 of Cloudflare', { code: 429, headers: cloudflare }, 'rate_limited cloudflare likely'],
  [
    'a block of Sucuri',
    { code: 403, headers: { server: 'Sucuri/Cloudproxy', 'x-sucuri-block': 'BLK01' } },
    'blocked sucuri certain',
  ],
  ['an incident of Imperva', { code: 403, headers: html, body: incapsula }, 'blocked imperva certain'],
  ['a block of DataDome', { code: 403, headers: { 'x-datadome': 'protected' } }, 'blocked datadome certain'],
  ['an older block of DataDome', { code: 403, headers: { 'x-dd-b': '1' } }, 'blocked datadome certain'],
  ['403 of Akamai', { code: 403, headers: akamai }, 'blocked akamai likely'],
  ['403 of Akamai with its number', { code: 403, headers: akamai, body: reference }, 'blocked akamai certain'],
  [
    '403 of Akamai with a plain number',
    { code: 403, headers: akamai, body: 'Reference #18.4f2e' },
    'blocked akamai certain',
  ],
  ['403 of CloudFront', { code: 403, headers: cloudfront }, 'blocked cloudfront likely'],
  ...[502, 503, 504].map((code): [string, Seen, string] => [
    `${code} of CloudFront`,
    { code, headers: cloudfront },
    'origin_unreachable cloudfront likely',
  ]),
  [
    'a redirect to Microsoft',
    { to: 'https://login.microsoftonline.com/common/oauth2/authorize' },
    'login microsoftonline certain',
  ],
  ['a redirect to Google', { to: 'https://accounts.google.com/v3/signin' }, 'login google certain'],
  ['a redirect to Okta', { to: 'https://acme.okta.com/login' }, 'login okta certain'],
  ['a redirect to Auth0', { to: 'https://acme.eu.auth0.com/u/login' }, 'login auth0 certain'],
  ['a redirect to OneLogin', { to: 'https://acme.onelogin.com/login2' }, 'login onelogin certain'],
  ['a redirect to a form', { to: 'https://shop.example.com/login', headers: html, body: form }, 'login null likely'],
  ['429 of anyone', { code: 429, headers: { server: 'nginx', 'retry-after': '30' } }, 'rate_limited null likely'],
];

const text = (found: Diagnosis | null) =>
  found === null ? null : `${found.kind} ${found.provider} ${found.confidence}`;

for (const [title, seen, expected] of recorded)
  test(`${title}: ${expected}`, t => {
    const given = answer(seen);
    t.is(text(diagnose(given)), expected);
    if (seen.body !== undefined) t.true(needsBody(given));
  });

const plain: readonly Seen[] = [
  { headers: { 'x-datadome': 'protected' } },
  { headers: { ...html }, body: form },
  { headers: cloudfront },
  { code: 404, headers: cloudfront },
  { code: 403, headers: { 'x-cache': 'Miss from cloudfront' } },
  { code: 503, headers: akamai, body: reference },
  { code: 403, headers: html, body: reference },
  {
    headers: html,
    to: 'https://shop.example.com/de',
    body: '<script src="/_Incapsula_Resource?SWJIYLWA=71"></script>',
  },
  { headers: html, to: 'https://www.example.com/', body: form },
  { headers: { 'content-type': 'application/json' }, to: 'https://shop.example.com/login', body: form },
  { headers: html, to: 'https://shop.example.com/de', body: '<input type="search"> type="password"' },
  { to: 'https://okta.com.example.net/login' },
  { to: 'https://notokta.com/' },
  { from: 'https://accounts.google.com/', to: 'https://accounts.google.com/v3/signin' },
  { headers: { 'cf-mitigated': 'none' } },
  { code: 403, headers: { server: 'cloudflare-nginx' } },
];
const servers = ['nginx/1.27.3', 'Apache', 'cloudflare', 'AkamaiGHost', 'Microsoft-IIS/10.0', 'Vercel', 'envoy'];
const codes = [200, 201, 204, 301, 304, 400, 404, 410, 418, 500, 501, 502];
const ordinary = [
  ...plain,
  ...servers.flatMap(server => codes.map(code => ({ code, headers: { ...html, server, 'x-cache': 'HIT' } }))),
];

test('a hundred ordinary answers have none', t => {
  t.is(ordinary.length, 100);
  for (const seen of ordinary) t.is(diagnose(answer(seen)), null, JSON.stringify(seen));
});

test('the head decides whether the body is read', t => {
  for (const code of [202, 401, 403, 405, 429, 500, 503, 530]) t.true(needsBody(answer({ code })));
  for (const code of [200, 204, 301, 404, 410]) t.false(needsBody(answer({ code, headers: html })));
  t.true(needsBody(answer({ headers: html, to: 'https://shop.example.com/login' })));
  t.false(needsBody(answer({ headers: { 'content-type': 'image/png' }, to: 'https://shop.example.com/login' })));
});

test('any answer is looked at without an error and in little time', async t => {
  const header = fc.constantFrom('server', 'x-cache', 'cf-mitigated', 'content-type', 'x-datadome');
  const headers = fc.dictionary(header, fc.string());
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), headers, fc.string(), (code, fields, body) => {
      t.notThrows(() => diagnose(answer({ code, headers: fields, body })));
    }),
  );
  const to = 'https://shop.example.com/login';
  for (const piece of ['<input ', '<input type', '<input type        ', 'type=', '<', ' ']) {
    const body = piece.repeat(65_536 / piece.length);
    const ms = await leastThreadMs(500, () => diagnose(answer({ headers: html, to, body })));
    t.true(ms < 500, `${piece}: ${ms} ms`);
  }
});
