import test from 'ava';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { type AddressPolicy, isAllowed, isInRanges, parseRange, plainAddress } from '#shared/network/guard.ts';

const policy = (base: AddressPolicy['base'], ...ranges: string[]): AddressPolicy => ({
  base,
  allow: ranges.map(text => parseRange(text)).filter(range => range !== null),
});

const forbidden = [
  // loopback, unspecified, private, link-local with the metadata services
  ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '169.254.0.1', '100.64.0.1', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  // special, benchmarking, documentation, multicast, reserved, broadcast
  ...['192.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '198.19.255.255', '192.88.99.1'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  // the same in IPv6
  ...['::', '::1', 'fe80::1', 'fec0::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '2001:db8::1', '3fff::1', '100::1'],
  // IPv4 hidden in IPv6
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254', '::127.0.0.1', '::a00:1'],
  ...['::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::1', '64:ff9b:1::8.8.8.8'],
  ...['2002:7f00:1::1', '2002:808:808::1', '2001:0:7f00:1::', '2a00::5efe:127.0.0.1', '2a00::200:5efe:8.8.8.8'],
  // not addresses at all
  ...['fe80::1%eth0', '::1%lo', 'localhost', '', '127.1', '0x7f000001', '2130706433', '0177.0.0.1'],
];
for (const address of forbidden)
  test(`public policy refuses "${address}"`, t => {
    t.false(isAllowed(address, policy('public')));
  });

const allowed = [
  '8.8.8.8',
  '1.1.1.1',
  '93.184.216.34',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '2a00:1450::8a',
];
for (const address of [...allowed, '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])
  test(`public policy allows ${address}`, t => {
    t.true(isAllowed(address, policy('public')));
  });

test('loopback policy permits this host and the internet, and no private network', t => {
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', '8.8.8.8'])
    t.true(isAllowed(address, policy('loopback')), address);
  for (const address of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '::', 'fe80::1'])
    t.false(isAllowed(address, policy('loopback')), address);
});

test('a range is permitted in addition to the policy, also in its mapped form, and no other is', t => {
  const withRanges = policy('public', '10.1.0.0/16', 'fd12::/16');
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1', '8.8.8.8'])
    t.true(isAllowed(address, withRanges), address);
  for (const address of ['10.2.0.1', 'fd13::1', '127.0.0.1']) t.false(isAllowed(address, withRanges), address);
});

test('ranges policy allows nothing but its ranges', t => {
  t.true(isAllowed('10.1.2.3', policy('ranges', '10.1.0.0/16')));
  t.false(isAllowed('8.8.8.8', policy('ranges', '10.1.0.0/16')));
});

test('multicast, broadcast and unspecified addresses stay forbidden in any range', t => {
  for (const address of ['224.0.0.1', '255.255.255.255', '0.0.0.0', 'ff02::1', '::'])
    t.false(isAllowed(address, policy('public', '0.0.0.0/0', '::/0')), address);
});

test('a range of mapped addresses is that of IPv4, and one that holds more is refused', t => {
  const deny = ['::ffff:10.0.0.0/104', '::ffff:c0a8:101'].flatMap(text => {
    const range = parseRange(text);
    return range === null ? [] : [range];
  });
  const denying: AddressPolicy = { base: 'public', allow: [[ipaddr.parse('0.0.0.0'), 0]], deny };
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::a01:203', '192.168.1.1'])
    t.false(isAllowed(address, denying), address);
  for (const address of ['11.0.0.1', '192.168.1.2']) t.true(isAllowed(address, denying), address);
  t.is(parseRange('::ffff:0.0.0.0/95'), null);
});

test('a range is an address with or without a prefix length', t => {
  t.is(parseRange('10.0.0.0/8')?.[1], 8);
  t.is(parseRange('10.0.0.1')?.[1], 32);
  t.is(parseRange('fd00::1')?.[1], 128);
  for (const text of ['10.0.0.0/33', 'intranet', '10.0.0.0/', '/8', '10', '10/8', '10.1', '010.0.0.0/8', '0xa.0.0.0/8'])
    t.is(parseRange(text), null, text);
});

for (const [text, plain] of [
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['::FFFF:0a00:0001', '10.0.0.1'],
  ['10.0.0.1', '10.0.0.1'],
  ['2001:0DB8:0::1', '2001:db8::1'],
  ['not an address', 'not an address'],
  ['', ''],
] as const)
  test(`"${text}" is the address "${plain}"`, t => {
    t.is(plainAddress(text), plain);
  });

for (const [address, expected] of [
  ['10.1.2.3', true],
  ['::ffff:10.1.2.3', true],
  ['10.2.0.0', false],
  ['fd12::7', true],
  ['fd13::7', false],
  ['intranet', false],
] as const)
  test(`${address} is ${expected ? '' : 'not '}in the ranges 10.1.0.0/16 and fd12::/16`, t => {
    t.is(isInRanges(address, policy('ranges', '10.1.0.0/16', 'fd12::/16').allow), expected);
  });

const bytes4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));

test('an IPv4 address is judged the same in every notation, mapped and translated', t => {
  fc.assert(
    fc.property(bytes4, fc.constantFrom<AddressPolicy['base']>('public', 'loopback', 'ranges'), (bytes, base) => {
      const plain = bytes.join('.');
      const hex = Buffer.from(bytes).toString('hex');
      const expected = isAllowed(plain, policy(base));
      t.is(isAllowed(`::ffff:${plain}`, policy(base)), expected);
      t.is(isAllowed(`::ffff:${hex.slice(0, 4)}:${hex.slice(4)}`, policy(base)), expected);
      t.is(isAllowed(`64:ff9b::${hex.slice(0, 4)}:${hex.slice(4)}`, policy(base)), expected);
    }),
  );
});

test('the public policy permits no address of a private network', t => {
  const networks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '127.0.0.0/8', '169.254.0.0/16', '100.64.0.0/10'];
  fc.assert(
    fc.property(fc.constantFrom(...networks), bytes4, (network, bytes) => {
      const [first, length] = ipaddr.IPv4.parseCIDR(network);
      const mask = ipaddr.IPv4.subnetMaskFromPrefixLength(length).octets;
      const address = first.octets.map((octet, index) => octet | ((bytes[index] ?? 0) & ~(mask[index] ?? 0) & 255));
      t.false(isAllowed(address.join('.'), policy('public')), address.join('.'));
    }),
  );
});

test('the ranges policy permits an address only if it is in a range', t => {
  const ranges = policy('ranges', '93.184.0.0/16');
  fc.assert(
    fc.property(bytes4, bytes => {
      const address = bytes.join('.');
      t.is(isAllowed(address, ranges), address.startsWith('93.184.'));
      t.true(isAllowed(`93.184.${bytes[2]}.${bytes[3]}`, ranges));
    }),
  );
});
