import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type AddressRange, isInRanges, plainAddress } from '#shared/network/guard.ts';

/** Addresses of proxies whose word on X-Forwarded-For counts. */
export type TrustedProxies = readonly AddressRange[];

/** Who calls: the socket's address, or the last one in X-Forwarded-For that no trusted proxy has. */
export function callerAddress(request: Pick<IncomingMessage, 'headers' | 'socket'>, trusted: TrustedProxies): string {
  let address = plainAddress(request.socket.remoteAddress ?? '');
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
  for (let named = forwarded.pop(); named !== undefined && isInRanges(address, trusted); named = forwarded.pop()) {
    const next = named.trim();
    if (isIP(next) === 0) break;
    address = plainAddress(next);
  }
  return address;
}

/** Who shares a limit: one IPv4 address, or the /64 that one IPv6 customer has at least. */
export function limitKey(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const first = head.split(':');
  const last = tail === undefined ? [] : tail.split(':');
  const all = [...first, ...Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0'), ...last];
  return `${all
    .slice(0, 4)
    .map(group => group.replace(/^0+(?=.)/, '') || '0')
    .join(':')}::/64`;
}
