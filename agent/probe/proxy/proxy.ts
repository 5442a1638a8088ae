import { isIP } from 'node:net';
import type { WireEgress } from '#shared/checks/egress.ts';
import { type AddressPolicy, isAllowed } from '#shared/network/guard.ts';

/** A proxy that checks go through. `password` is in clear. */
export type ProxyServer = NonNullable<WireEgress['proxy']>;

/** A proxy that a connection leads to, by its address, and that is to forward one request. */
export type Forwarder = Readonly<{ proxy: ProxyServer; remoteIp: string | null }>;

/** The value of `Proxy-Authorization`, RFC 7617 in UTF-8; null for a proxy that is not signed in at. */
export function authorizationFor(proxy: ProxyServer): string | null {
  const token = basicToken(proxy);
  return token === null ? null : `Basic ${token}`;
}

/** What nobody may be shown of a proxy: it, or what it forwards to, may quote what it was sent. */
export function secretsOfProxy(proxy: ProxyServer | undefined): string[] {
  if (proxy === undefined || proxy.password === null) return [];
  return [proxy.password, basicToken(proxy) ?? ''];
}

/**
 * Whether a target may not be asked of a proxy, by its name alone: the proxy resolves all others, and what it may reach
 * is a matter of its operator.
 */
export function isRefusedByName(host: string, policy: AddressPolicy): boolean {
  const name = host.toLowerCase().replace(/\.+$/, '');
  return isIP(name) === 0 ? /^(?:.*\.)?localhost$/.test(name) : !isAllowed(name, policy);
}

function basicToken({ username, password }: ProxyServer): string | null {
  if (username === null && password === null) return null;
  return Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
}
