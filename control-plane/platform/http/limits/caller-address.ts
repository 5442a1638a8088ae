import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type AddressRange, isInRanges, plainAddress } from '#shared/network/guard.ts';
import type { Keyring } from '../../secrets/keyring.ts';

/** Addresses of proxies whose `X-Forwarded-For` is believed. */
export type TrustedProxies = readonly AddressRange[];

/** What names a caller in limits: a keyed hash of its address. Limits are stored, addresses are not. */
export type CallerKey = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

export function createCallerKey(keyring: Pick<Keyring, 'hash'>, trusted: TrustedProxies): CallerKey {
  return request => keyring.hash(limitKey(callerAddress(request, trusted)), 'caller-address');
}

/** Nobody's address: a proxy named a caller whose address cannot be read, and is not the caller itself. */
const unknownCaller = 'unknown';

/** The caller's address: the socket's, or the last in `X-Forwarded-For` that is not a trusted proxy's. */
export function callerAddress(request: Pick<IncomingMessage, 'headers' | 'socket'>, trusted: TrustedProxies): string {
  let address = plainAddress(request.socket.remoteAddress ?? '');
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
  for (let entry = forwarded.pop(); entry !== undefined && isInRanges(address, trusted); entry = forwarded.pop()) {
    const next = withoutPort(entry.trim());
    if (next === '') break;
    address = isIP(next) === 0 ? unknownCaller : plainAddress(next);
  }
  return address;
}

/** Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry)?.[1] ?? entry.replace(/^(\d[\d.]*):\d{1,5}$/, '$1');
}

/** The key of a limit per caller: an IPv4 address, or the /64 of an IPv6 address, the least that one customer has. */
export function limitKey(address: string): string {
  if (isIP(address) !== 6) return address;
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${network.map(group => group.toString(16)).join(':')}::/64`;
}
