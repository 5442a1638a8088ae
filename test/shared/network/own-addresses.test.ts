import type { NetworkInterfaceInfo } from 'node:os';
import test from 'ava';
import { isAllowed, parseRange } from '#shared/network/guard.ts';
import { watchOwnAddresses } from '#shared/network/own-addresses.ts';

const interfaceOf = (...addresses: string[]) => ({
  eth0: addresses.map(address => ({ address }) as NetworkInterfaceInfo),
});
const range = (text: string) => parseRange(text) ?? [];

test('the addresses of this host are known in their shortest form, and read again after five seconds', t => {
  let [found, ms] = [interfaceOf('8.8.4.4', '2606:4700:0:0::1111', 'fe80::1%eth0'), 0];
  const own = watchOwnAddresses(
    () => found,
    () => ms,
  );
  t.deepEqual([...own()], ['8.8.4.4', '2606:4700::1111', 'fe80::1']);
  found = interfaceOf('8.8.4.5');
  ms = 5000;
  t.is(own().size, 3);
  ms = 5001;
  t.deepEqual([...own()], ['8.8.4.5']);
});

const ownAddresses = watchOwnAddresses(() => interfaceOf('8.8.4.4', '2606:4700::1111', '10.0.0.5'));
const rows = [
  ['public', [], [], '8.8.4.4', false],
  ['public', [], [], '::ffff:8.8.4.4', false],
  ['public', [], [], '64:ff9b::8.8.4.4', false],
  ['public', [], [], '2606:4700:0::1111', false],
  ['public', [], [], '8.8.4.5', true],
  ['public', ['8.8.4.4'], [], '8.8.4.4', true],
  ['public', ['10.0.0.0/8'], [], '10.0.0.5', true],
  ['loopback', [], [], '8.8.4.4', true],
  ['ranges', ['8.8.4.0/24'], [], '8.8.4.4', true],
  ['ranges', [], [], '8.8.4.4', false],
  ['public', [], ['1.1.0.0/16'], '1.1.1.1', false],
  ['public', [], ['1.1.0.0/16'], '::ffff:1.1.1.1', false],
  ['public', ['10.0.0.0/8'], ['10.1.0.0/16'], '10.1.2.3', false],
  ['public', ['10.0.0.0/8'], ['10.1.0.0/16'], '10.2.2.3', true],
  ['loopback', [], ['127.0.0.0/8', '::1'], '127.0.0.1', false],
  ['public', [], ['2606:4700::/32'], '2606:4700::1', false],
] as const;
for (const [base, allow, deny, address, expected] of rows)
  test(`${base}, allowed ${allow.join() || 'none'}, denied ${deny.join() || 'none'}: ${address} ${expected}`, t => {
    const ranges = { allow: allow.map(range), deny: deny.map(range) } as {
      allow: NonNullable<ReturnType<typeof parseRange>>[];
      deny: NonNullable<ReturnType<typeof parseRange>>[];
    };
    t.is(isAllowed(address, { base, ...ranges, ownAddresses }), expected);
  });
