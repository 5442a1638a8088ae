import { isIP } from 'node:net';
import { parse } from 'tldts';

/**
 * The registrable name that a host name is under, by the ICANN part of the list of public suffixes; null for an
 * address, a public suffix, and a name without a dot.
 */
export function registrableOf(host: string): string | null {
  const name = host.replace(/\.$/, '').toLowerCase();
  if (isIP(name) !== 0) return null;
  return parse(name, { allowPrivateDomains: false, extractHostname: false }).domain;
}
