import test from 'ava';
import { callerAddress, limitKey } from '#control-plane/platform/http/limits/caller-address.ts';
import { range } from '#test/support/probe.ts';

const trusted = [range('10.0.0.0/8'), range('fd00::/8')];
const cases: [what: string, socket: string, header: string | undefined, caller: string][] = [
  ['without a header the socket counts', '203.0.113.7', undefined, '203.0.113.7'],
  ['the header of an untrusted peer is ignored', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['a trusted proxy names the caller', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['entries that the caller made up are further left', '10.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
  ['proxies behind proxies', '10.0.0.1', '198.51.100.1, 10.0.0.9', '198.51.100.1'],
  ['an entry that is no address is nobody, not the proxy', '10.0.0.1', '198.51.100.1, _hidden', 'unknown'],
  ['an empty entry', '10.0.0.1', '198.51.100.1, ', '10.0.0.1'],
  ['an entry with a port', '10.0.0.1', '1.1.1.1, 198.51.100.1:4711', '198.51.100.1'],
  ['an IPv6 entry with a port', '10.0.0.1', '[2001:db8::5]:4711', '2001:db8::5'],
  ['an IPv6 entry in brackets', '10.0.0.1', '[2001:db8::5]', '2001:db8::5'],
  ['a port alone is none', '10.0.0.1', ':4711', 'unknown'],
  ['mapped addresses are unmapped', '::ffff:10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
  ['IPv6 proxies', 'fd00::1', '2001:db8::5', '2001:db8::5'],
  ['only proxies', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
];
for (const [what, remoteAddress, header, caller] of cases)
  test(what, t => {
    const headers = header === undefined ? {} : { 'x-forwarded-for': header };
    t.is(callerAddress({ headers, socket: { remoteAddress } } as never, trusted), caller);
  });

test('without trusted proxies no header counts', t => {
  const request = { headers: { 'x-forwarded-for': '1.1.1.1' }, socket: { remoteAddress: '10.0.0.1' } };
  t.is(callerAddress(request as never, []), '10.0.0.1');
});

test('addresses of one IPv6 customer share a limit', t => {
  t.is(limitKey('2001:db8:1:2:3:4:5:6'), limitKey('2001:db8:1:2::9'));
  t.not(limitKey('2001:db8:1:2::9'), limitKey('2001:db8:1:3::9'));
  t.is(limitKey('::1'), '0:0:0:0::/64');
  t.is(limitKey('203.0.113.7'), '203.0.113.7');
});

test('the key of an IPv6 address has its first four groups, without leading zeros', t => {
  const cases: [address: string, key: string][] = [
    ['2001:0db8:0001:0000:3::6', '2001:db8:1:0::/64'],
    ['2001:DB8::1', '2001:db8:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1:2:3:4::', '1:2:3:4::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['not an address', 'not an address'],
  ];
  for (const [address, key] of cases) t.is(limitKey(address), key, address);
});
