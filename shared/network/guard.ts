import ipaddr from 'ipaddr.js';

/** A range of addresses: its first address and the length of its prefix. */
export type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

export const addressPolicies = ['public', 'loopback', 'ranges'] as const;

/**
 * What a program may reach on a customer's behalf: `public` the public internet; `loopback` that and this host (development);
 * `ranges` nothing but `allow`. `allow` adds to each of them.
 */
export type AddressPolicy = Readonly<{
  base: (typeof addressPolicies)[number];
  allow: readonly AddressRange[];
}>;

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
// What ipaddr.js calls unicast though no host on the public internet has it.
const reserved4 = [
  '192.88.99.0/24',
  '192.0.0.0/24',
  '198.18.0.0/15',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '168.63.129.16/32',
].map(text => ipaddr.IPv4.parseCIDR(text));
const reserved6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48', '3ffe::/16'].map(text =>
  ipaddr.IPv6.parseCIDR(text),
);

/** Reads "10.0.0.0/8" or one address; null when it is neither. */
export function parseRange(text: string): AddressRange | null {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    return null;
  }
}

/** True when the policy lets us connect to this address. Text that is not an address never passes. */
export function isAllowed(text: string, policy: AddressPolicy): boolean {
  if (text.includes('%') || !ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return isAllowed4(address, policy);
  if (address.isIPv4MappedAddress()) return isAllowed4(address.toIPv4Address(), policy);
  if (address.match(translated)) return isAllowed4(lastFourBytes(address), policy);
  return isAllowed6(address, policy);
}

/** An IPv4 address that came mapped into IPv6, as that; any other text as it is. */
export function plainAddress(text: string): string {
  if (!ipaddr.IPv6.isValid(text)) return text;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toString();
}

/** True when the text is an address in one of the ranges. */
export function isInRanges(text: string, ranges: readonly AddressRange[]): boolean {
  return ipaddr.isValid(text) && isWithin(ipaddr.process(text), ranges);
}

function isAllowed4(address: ipaddr.IPv4, policy: AddressPolicy): boolean {
  const range = address.range();
  if (range === 'multicast' || range === 'broadcast' || range === 'unspecified') return false;
  if (isWithin(address, policy.allow)) return true;
  if (range === 'loopback') return policy.base === 'loopback';
  return policy.base !== 'ranges' && range === 'unicast' && !reserved4.some(reserved => address.match(reserved));
}

function isAllowed6(address: ipaddr.IPv6, policy: AddressPolicy): boolean {
  const range = address.range();
  if (range === 'multicast' || range === 'unspecified') return false;
  if (isWithin(address, policy.allow)) return true;
  if (range === 'loopback') return policy.base === 'loopback';
  return (
    policy.base !== 'ranges' &&
    range === 'unicast' &&
    address.match(globalUnicast) &&
    !isIsatap(address) &&
    !reserved6.some(reserved => address.match(reserved))
  );
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([first, length]) => address.kind() === first.kind() && address.match(first, length));
}

function lastFourBytes(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

/** An interface identifier 0:5efe or 200:5efe carries an IPv4 address in its last four bytes. */
function isIsatap(address: ipaddr.IPv6): boolean {
  return (address.parts[5] ?? 0) === 0x5efe && ((address.parts[4] ?? 0) & ~0x0200) === 0;
}
