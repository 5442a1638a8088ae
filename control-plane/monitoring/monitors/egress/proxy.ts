import { proxyProtocols, proxyTextBytesMax, type WireEgress } from '#shared/checks/egress.ts';
import { bytesAtMost } from '../../../platform/http/bytes-at-most.ts';
import { endpointOf, hostUrlError } from '../kinds/target.ts';

type ProxySettings = { url: string; username: string | null; password: string | null };

const protocolOf = (url: string) => proxyProtocols.find(protocol => url.toLowerCase().startsWith(`${protocol}://`));

/** What the URL of a proxy looks like. */
export const proxyForm = 'http://host:port or socks5://host:port';

/** A user name or password at a proxy. */
export const proxyTextSchema = bytesAtMost(proxyTextBytesMax)
  .min(1)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters');

/** Pure: whether it is the URL of a proxy. */
export function isProxyUrl(url: string): boolean {
  return protocolOf(url) !== undefined && hostUrlError(url, proxyForm, { port: true }) === null;
}

/** Pure: what is wrong with a user name at this proxy; null if nothing is. HTTP Basic cannot send a colon in it. */
export function usernameFault(url: string, username: string): string | null {
  if (protocolOf(url) !== 'http' || !username.includes(':')) return null;
  return 'must not contain a colon for a proxy of HTTP';
}

/** Pure: what agents get of it. */
export function wireProxyOf({ url, username, password }: ProxySettings): NonNullable<WireEgress['proxy']> {
  return { protocol: protocolOf(url) ?? 'http', ...endpointOf(url), username, password };
}
