import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { refuseRepeats } from '../../../platform/http/bodies/validate.ts';

const hostsMax = 20;
const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const pattern = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`);

const host = z
  .string()
  .max(255)
  .overwrite(plainHost)
  .refine(text => isAddress(text) || (text.length <= 255 && pattern.test(text)), {
    params: { code: 'format' },
    message: 'must be a host name, *.name or an address',
  });

/** Hosts that may get a secret. */
export const hostsSchema = z.array(host).min(1).max(hostsMax).superRefine(refuseRepeats).nullable();

/**
 * Pure: whether a host is one of these, or below one that begins with `*.`; null allows every host. A host that could
 * not be read is none of them.
 */
export function allowsHost(hosts: readonly string[] | null, host: string | null): boolean {
  if (hosts === null) return true;
  if (host === null) return false;
  return hosts.some(one => (one.startsWith('*.') ? host.endsWith(one.slice(1)) && !isBare(host, one) : host === one));
}

/** Pure: the host of a URL of any kind, as patterns have it; null if it has none. */
export function hostOf(url: string): string | null {
  const web = url.replace(/^[a-z][a-z\d]*:/i, 'http:');
  return URL.canParse(web) ? plainHost(new URL(web).hostname) : null;
}

/** `*.example.com` is not `.example.com`. */
function isBare(host: string, pattern: string): boolean {
  return host.length < pattern.length;
}

/** A zone means something on one machine only. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%');
}

/** Lower case, in ASCII, without the dot of the root or brackets. */
function plainHost(text: string): string {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  if (/^[\x21-\x7e]*$/.test(name))
    return isAddress(name) && isIP(name) === 6 ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name;
  const star = name.startsWith('*.') ? '*.' : '';
  return star + domainToASCII(name.slice(star.length));
}
