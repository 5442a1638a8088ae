import { z } from 'zod';

const wildcard = '://*.';

/**
 * An origin as browsers send it, byte by byte: scheme and authority in their normal form. Apps in a shell have schemes
 * of their own, such as `capacitor://localhost`. `https://*.example.com` stands for all subdomains.
 */
export const originSchema = z
  .string()
  .max(300)
  .refine(isOrigin, 'must be an origin such as https://example.com, https://*.example.com or capacitor://localhost')
  .describe('Scheme, host and port, without a path; `*.` before the host for all its subdomains.');

function isOrigin(text: string): boolean {
  if (!text.includes('*')) return isPlainOrigin(text);
  const plain = text.replace(wildcard, '://any.');
  // A whole top-level domain is nobody's.
  return text.includes(wildcard) && !plain.includes('*') && /\.[^.]+\.[^.]/.test(plain) && isPlainOrigin(plain);
}

function isPlainOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host } = new URL(text);
  return host !== '' && text === `${protocol}//${host}`;
}

/** Whether an origin is allowed. A wildcard stands for one label or more, as in a content security policy. */
export function allowsOrigin(allowed: readonly string[], origin: string): boolean {
  return allowed.some(one => one === origin || (one.includes(wildcard) && isSubdomain(one, origin)));
}

function isSubdomain(pattern: string, origin: string): boolean {
  const [scheme = '', parent = ''] = pattern.split(wildcard);
  const labels = origin.slice(`${scheme}://`.length, -`.${parent}`.length);
  return origin === `${scheme}://${labels}.${parent}` && /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(labels);
}
