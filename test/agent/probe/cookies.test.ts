import test from 'ava';
import { Cookies } from '#agent/probe/cookies.ts';

const now = Date.parse('2026-11-22T00:00:00Z');

/** What is sent to `to` after a response from `from`; its port is no part of the rule. */
function sent(from: string, setCookie: string[], to: string): string | null {
  const cookies = new Cookies();
  cookies.take(new URL(from), setCookie, now);
  return cookies.headerFor(new URL(to));
}

const rows: [what: string, from: string, setCookie: string[], to: string, expected: string | null][] = [
  ['the same host', 'http://a.test/', ['gate=1'], 'http://a.test/x', 'gate=1'],
  ['another port', 'http://a.test/', ['gate=1; Path=/'], 'http://a.test:81/', 'gate=1'],
  ['another host', 'http://a.test/', ['gate=1'], 'http://b.test/', null],
  ['a host below, even with Domain', 'http://a.test/', ['gate=1; Domain=a.test'], 'http://b.a.test/', null],
  ['a host above, even with Domain', 'http://b.a.test/', ['gate=1; Domain=a.test'], 'http://a.test/', null],
  ['https, set on http', 'http://a.test/', ['gate=1'], 'https://a.test/', 'gate=1'],
  ['http, Secure', 'https://a.test/', ['gate=1; Secure'], 'http://a.test/', null],
  ['https, Secure', 'https://a.test/', ['gate=1; secure; HttpOnly; SameSite=Strict'], 'https://a.test/', 'gate=1'],
  ['https, Secure but set on http', 'http://a.test/', ['gate=1; Secure'], 'https://a.test/', null],
  ['a path below its default one', 'http://a.test/in/login', ['gate=1'], 'http://a.test/in/x', 'gate=1'],
  ['a path beside its default one', 'http://a.test/in/login', ['gate=1'], 'http://a.test/inn', null],
  ['a path it names', 'http://a.test/in/login', ['gate=1; Path=/'], 'http://a.test/inn', 'gate=1'],
  ['a path it does not name', 'http://a.test/', ['gate=1; Path=/admin'], 'http://a.test/', null],
  [
    'a cookie that expired',
    'http://a.test/',
    ['gate=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT'],
    'http://a.test/',
    null,
  ],
  [
    'a cookie that will expire',
    'http://a.test/',
    ['gate=1; Expires=Wed, 01 Jan 2098 00:00:00 GMT'],
    'http://a.test/',
    'gate=1',
  ],
  [
    'Max-Age over Expires',
    'http://a.test/',
    ['gate=1; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT'],
    'http://a.test/',
    'gate=1',
  ],
  ['a cookie removed later', 'http://a.test/', ['gate=1', 'gate=; Max-Age=0'], 'http://a.test/', null],
  ['a cookie replaced later', 'http://a.test/', ['gate=1', 'b=2', 'gate=3'], 'http://a.test/', 'b=2; gate=3'],
  ['longer paths first', 'http://a.test/x/y', ['a=1; Path=/', 'b=2'], 'http://a.test/x/z', 'b=2; a=1'],
  ['a value without a name', 'http://a.test/', ['token'], 'http://a.test/', 'token'],
  ['nothing', 'http://a.test/', ['', '=', ';Path=/'], 'http://a.test/', null],
  ['no cookie that is too long', 'http://a.test/', [`a=${'x'.repeat(5000)}`], 'http://a.test/', null],
  ['no cookie that cannot be sent', 'http://a.test/', ['a=\u0001'], 'http://a.test/', null],
];
for (const [what, from, setCookie, to, expected] of rows)
  test(`to ${what}: ${expected}`, t => {
    t.is(sent(from, setCookie, to), expected);
  });

test('a check keeps fifty cookies', t => {
  const many = Array.from({ length: 80 }, (_, index) => `c${index}=1`);
  t.is(sent('http://a.test/', many, 'http://a.test/')?.split('; ').length, 50);
});
