import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A range of addresses: its first address and the length of its prefix. */
export type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

export const addressPolicies = ['public', 'loopback', 'ranges'] as const;

/**
 * The addresses a program may connect to on a customer's behalf. `public`: the public internet. `loopback`: that and
 * this host, for development. `ranges`: only `allow`. The ranges in `allow` are permitted in addition to each of them,
 * those in `deny` never. `ownAddresses`: those of this host, which `public` refuses: what listens there may rely on a
 * firewall in front of the host.
 */
export type AddressPolicy = Readonly<{
  base: (typeof addressPolicies)[number];
  allow: readonly AddressRange[];
  deny?: readonly AddressRange[];
  ownAddresses?: () => ReadonlySet<string>;
}>;

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
// Ranges that ipaddr.js calls unicast although no host on the public internet uses them.
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

/**
 * Parses a range such as "10.0.0.0/8" or a single address; null if malformed. By itself ipaddr.js reads "10" as
 * 0.0.0.10 and "010.0.0.0" as 8.0.0.0.
 */
export function parseRange(text: string): AddressRange | null {
  if (isIP(text.split('/', 1)[0] ?? '') === 0) return null;
  try {
    if (text.includes('/')) return plainRange(ipaddr.parseCIDR(text));
    const address = ipaddr.parse(text);
    return plainRange([address, address.kind() === 'ipv4' ? 32 : 128]);
  } catch {
    return null;
  }
}

/** Mapped addresses are judged as IPv4, so their range is that of IPv4; one that holds more than these is refused. */
function plainRange([first, length]: AddressRange): AddressRange | null {
  if (!(first instanceof ipaddr.IPv6) || !first.isIPv4MappedAddress()) return [first, length];
  return length < 96 ? null : [first.toIPv4Address(), length - 96];
}

/** True if the policy permits a connection to this address. Text that is not an IP address is never permitted. */
export function isAllowed(text: string, policy: AddressPolicy): boolean {
  const address = parseOnce(text);
  if (address === null) return false;
  if (address instanceof ipaddr.IPv4) return isAllowed4(address, policy);
  if (address.isIPv4MappedAddress()) return isAllowed4(address.toIPv4Address(), policy);
  if (address.match(nat64)) return isAllowed4(lastFourBytes(address), policy);
  return isAllowed6(address, policy);
}

/** Null for what is no address, or one with a zone. `ipaddr.isValid` and `ipaddr.parse` would parse it three times. */
function parseOnce(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (text.includes('%')) return null;
  try {
    return text.includes(':') ? ipaddr.IPv6.parse(text) : ipaddr.IPv4.parse(text);
  } catch {
    return null;
  }
}

/** An IPv4-mapped IPv6 address as IPv4, another IPv6 address in its shortest form, and any other text unchanged. */
export function plainAddress(text: string): string {
  if (!ipaddr.IPv6.isValid(text)) return text;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toString();
}

/** The order of addresses by their bytes; of texts that are none, none. */
export function compareAddresses(left: string, right: string): number {
  const [first, second] = [parseOnce(left)?.toByteArray() ?? [], parseOnce(right)?.toByteArray() ?? []];
  return Buffer.compare(Buffer.from(first), Buffer.from(second));
}

/** True if the text is an IP address in one of the ranges. */
export function isInRanges(text: string, ranges: readonly AddressRange[]): boolean {
  return ipaddr.isValid(text) && isWithin(ipaddr.process(text), ranges);
}

function isAllowed4(address: ipaddr.IPv4, policy: AddressPolicy): boolean {
  const range = address.range();
  if (range === 'multicast' || range === 'broadcast' || range === 'unspecified') return false;
  if (isWithin(address, policy.deny ?? [])) return false;
  if (isWithin(address, policy.allow)) return true;
  if (range === 'loopback') return policy.base === 'loopback';
  if (isOwn(address, policy)) return false;
  return policy.base !== 'ranges' && range === 'unicast' && !reserved4.some(reserved => address.match(reserved));
}

function isAllowed6(address: ipaddr.IPv6, policy: AddressPolicy): boolean {
  const range = address.range();
  if (range === 'multicast' || range === 'unspecified') return false;
  if (isWithin(address, policy.deny ?? [])) return false;
  if (isWithin(address, policy.allow)) return true;
  if (range === 'loopback') return policy.base === 'loopback';
  if (isOwn(address, policy)) return false;
  return (
    policy.base !== 'ranges' &&
    range === 'unicast' &&
    address.match(globalUnicast) &&
    !isIsatap(address) &&
    !reserved6.some(reserved => address.match(reserved))
  );
}

function isOwn(address: ipaddr.IPv4 | ipaddr.IPv6, policy: AddressPolicy): boolean {
  return policy.base === 'public' && policy.ownAddresses?.().has(address.toString()) === true;
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([first, length]) => address.kind() === first.kind() && address.match(first, length));
}

function lastFourBytes(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

/** An ISATAP interface identifier (0:5efe or 200:5efe) contains an IPv4 address in its last four bytes. */
function isIsatap(address: ipaddr.IPv6): boolean {
  return (address.parts[5] ?? 0) === 0x5efe && ((address.parts[4] ?? 0) & ~0x0200) === 0;
}
