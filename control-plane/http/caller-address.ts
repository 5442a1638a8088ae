import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** True for addresses of proxies whose `X-Forwarded-For` is believed. */
export type TrustedProxies = (address: string) => boolean;

/** Reads ranges such as `10.0.0.0/8` or single addresses; throws for anything else. */
export function trustedProxies(ranges: readonly string[]): TrustedProxies {
  const parsed = ranges.map(range =>
    ipaddr.parseCIDR(range.includes('/') ? range : `${range}/${range.includes(':') ? 128 : 32}`),
  );
  return text => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return parsed.some(range => range[0].kind() === address.kind() && address.match(range as never));
  };
}

export function areRanges(texts: readonly string[]): boolean {
  try {
    trustedProxies(texts);
    return true;
  } catch {
    return false;
  }
}

/** The address of who calls: the socket's, or what trusted proxies in front of us say, read from the nearest outwards. */
export function callerAddress(request: IncomingMessage, trusted: TrustedProxies): string {
  let address = request.socket.remoteAddress ?? '';
  const named = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map(part => part.trim());
  while (trusted(address)) {
    const next = named.pop();
    if (next === undefined || !ipaddr.isValid(next)) break;
    address = next;
  }
  return ipaddr.isValid(address) ? networkOf(address) : address;
}

/** One subscriber of IPv6 owns a /64 and would otherwise be as many callers as it likes. */
function networkOf(text: string): string {
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`;
}
