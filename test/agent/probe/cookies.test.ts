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
  ['a host below', 'http://a.test/', ['gate=1'], 'http://b.a.test/', null],
  ['a host above', 'http://b.a.test/', ['gate=1'], 'http://a.test/', null],
  ['a host below, Domain', 'http://a.test/', ['gate=1; Domain=a.test'], 'http://b.a.test/', 'gate=1'],
  ['a host above, Domain', 'http://b.a.test/', ['gate=1; Domain=a.test'], 'http://a.test/', 'gate=1'],
  ['a sibling, Domain', 'http://b.a.test/', ['gate=1; domain = .A.Test'], 'http://c.a.test/', 'gate=1'],
  [
    'a sibling, the last Domain',
    'http://b.a.test/',
    ['g=1; Domain=b.a.test; Domain=a.test'],
    'http://c.a.test/',
    'g=1',
  ],
  ['a sibling, empty Domain', 'http://b.a.test/', ['gate=1; Domain='], 'http://c.a.test/', null],
  ['the same host, empty Domain', 'http://b.a.test/', ['gate=1; Domain=.'], 'http://b.a.test/', 'gate=1'],
  ['a sibling below co.uk', 'http://b.a.co.uk/', ['gate=1; Domain=a.co.uk'], 'http://c.a.co.uk/', 'gate=1'],
  [
    'an encoded sibling',
    'http://b.xn--grn-hoa.test/',
    ['g=1; Domain=xn--grn-hoa.test'],
    'http://xn--grn-hoa.test/',
    'g=1',
  ],
  ['a host that only ends alike', 'http://b.a.test/', ['gate=1; Domain=a.test'], 'http://ba.test/', null],
  ['the same host, Domain below', 'http://a.test/', ['gate=1; Domain=b.a.test'], 'http://a.test/', null],
  ['that Domain below', 'http://a.test/', ['gate=1; Domain=b.a.test'], 'http://b.a.test/', null],
  ['the Domain of another site', 'http://a.test/', ['gate=1; Domain=b.test'], 'http://b.test/', null],
  ['a name it only ends with', 'http://ba.test/', ['gate=1; Domain=a.test'], 'http://a.test/', null],
  ['a Domain with two dots before', 'http://b.a.test/', ['gate=1; Domain=..a.test'], 'http://b.a.test/', null],
  ...['test', 'co.uk', 'co.uk.', 'github.io', 's3.amazonaws.com', 'kawasaki.jp', 'xn--55qx5d.cn', 'local'].map(
    (suffix): (typeof rows)[number] => [
      `its own host, Domain=${suffix}`,
      `http://a.${suffix}/`,
      [`gate=1; Domain=${suffix}`],
      `http://a.${suffix}/`,
      null,
    ],
  ),
  [
    'the site below a suffix',
    'http://a.s3.amazonaws.com/',
    ['g=1; Domain=amazonaws.com'],
    'http://b.amazonaws.com/',
    null,
  ],
  ['a suffix itself', 'http://github.io/', ['gate=1; Domain=github.io'], 'http://github.io/', 'gate=1'],
  ['a host below that suffix', 'http://github.io/', ['gate=1; Domain=github.io'], 'http://a.github.io/', null],
  ['localhost', 'http://localhost/', ['gate=1; Domain=localhost'], 'http://localhost/', 'gate=1'],
  ['an address', 'http://10.0.0.1/', ['gate=1; Domain=10.0.0.1'], 'http://10.0.0.1/', 'gate=1'],
  ['an IPv6 address', 'http://[::1]/', ['gate=1; Domain=[::1]'], 'http://[::1]/', 'gate=1'],
  ['an address, part of it as Domain', 'http://10.0.0.1/', ['gate=1; Domain=0.0.1'], 'http://10.0.0.1/', null],
  [
    'a sibling, removed by Domain',
    'http://b.a.test/',
    ['g=1; Domain=a.test', 'g=; Domain=a.test; Max-Age=0'],
    'http://c.a.test/',
    null,
  ],
  ['a host with both kinds', 'http://a.test/', ['g=1; Domain=a.test', 'g=2'], 'http://a.test/', 'g=1; g=2'],
  ['http, Domain and Secure', 'https://b.a.test/', ['gate=1; Domain=a.test; Secure'], 'http://c.a.test/', null],
  ['a sibling beside its path', 'http://b.a.test/in/', ['gate=1; Domain=a.test'], 'http://c.a.test/', null],
  ['a host, __Host-', 'https://a.test/', ['__Host-g=1; Secure; Path=/'], 'https://a.test/', '__Host-g=1'],
  ['a host, __host- without Path', 'https://a.test/', ['__host-g=1; Secure'], 'https://a.test/', null],
  ['a host, __Host- with Path', 'https://a.test/', ['__Host-g=1; Secure; Path=/x'], 'https://a.test/x', null],
  ['a host, __Host- without Secure', 'https://a.test/', ['__Host-g=1; Path=/'], 'https://a.test/', null],
  [
    'a host, __Host- with Domain',
    'https://a.test/',
    ['__Host-g=1; Secure; Path=/; Domain=a.test'],
    'https://a.test/',
    null,
  ],
  [
    'a sibling, __Secure-',
    'https://b.a.test/',
    ['__Secure-g=1; Secure; Domain=a.test'],
    'https://c.a.test/',
    '__Secure-g=1',
  ],
  ['a host, __secure- without Secure', 'https://a.test/', ['__secure-g=1'], 'https://a.test/', null],
  ['a prefix without a name', 'https://a.test/', ['=__Secure-g=1; Secure'], 'https://a.test/', null],
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
