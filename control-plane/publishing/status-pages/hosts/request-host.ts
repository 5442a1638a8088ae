import type { IncomingMessage } from 'node:http';
import { type AddressRange, isInRanges, parseRange, plainAddress } from '#shared/network/guard.ts';

const loopback = ['127.0.0.0/8', '::1/128'].map(parseRange).filter(range => range !== null);
const forwardingHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
] as const;

/** The name in the `Host` header: lower-case, without its port and a final dot. */
export function hostOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return plainHost(headers.host ?? '');
}

/** Pure. */
export function plainHost(host: string): string {
  return host.trim().replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/** How the visitor asked; null if nobody who is believed says so. */
export function schemeOf(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: readonly AddressRange[],
): 'http' | 'https' | null {
  const said = headers['x-forwarded-proto'];
  const isTrusted = isInRanges(plainAddress(socket.remoteAddress ?? ''), trustedProxies);
  // A proxy that nobody has named in TRUSTED_PROXIES may have asked by either.
  if (!isTrusted) return said === undefined ? 'http' : null;
  const scheme = String(said ?? '')
    .split(',')[0]
    ?.trim()
    .toLowerCase();
  return scheme === 'http' || scheme === 'https' ? scheme : null;
}

/** Whether a proxy asks for itself, and does not pass on what somebody else asks. */
export function isFromProxyItself(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: readonly AddressRange[],
): boolean {
  const isNear = isInRanges(plainAddress(socket.remoteAddress ?? ''), [...trustedProxies, ...loopback]);
  return isNear && forwardingHeaders.every(name => headers[name] === undefined);
}
