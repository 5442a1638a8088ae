import { domainToASCII } from 'node:url';
import { z } from 'zod';

/** `slack`, `teams`: incoming webhooks of these services. */
export const channels = ['email', 'webhook', 'slack', 'teams'] as const;
export type SubscriberChannel = (typeof channels)[number];

/** As the database names them: so that a version which does not know them leaves their deliveries alone. */
export const storedChannels: Readonly<Record<SubscriberChannel, string>> = {
  email: 'email',
  webhook: 'webhook',
  slack: 'slack_webhook',
  teams: 'teams_webhook',
};

const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const domain =
  /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * An email address with its domain in ASCII and lower case; null when the text is none. RFC 5321 without quoted local
 * parts and address literals.
 */
export function parseEmail(text: string): string | null {
  const [local = '', host = '', ...more] = text.split('@');
  if (more.length > 0 || local.length > 64 || !localPart.test(local)) return null;
  // The URL parser would cut these off or take them for an address.
  if (/[\s\p{Cc}/?#:[\]\\%]/u.test(host)) return null;
  const ascii = domainToASCII(host).toLowerCase();
  const address = `${local}@${ascii}`;
  return domain.test(ascii) && address.length <= 254 ? address : null;
}

/** The form in which addresses are compared: spellings of an email address that differ in case are one subscriber. */
export function normalise(channel: SubscriberChannel, address: string): string {
  return channel === 'email' ? address.toLowerCase() : address;
}

export const emailSchema = z
  .string()
  .max(320)
  .transform((text, context) => {
    const address = parseEmail(text.trim());
    if (address !== null) return address;
    context.addIssue({ code: 'custom', params: { code: 'format' }, message: 'must be an email address' });
    return z.NEVER;
  })
  .describe('Email address.');

/** A webhook's URL. Only its form is checked here: the address behind the name is checked with each request. */
export const webhookUrlSchema = z
  .string()
  .max(2048)
  .transform((text, context) => {
    const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null;
    if (url !== null && url.username === '' && url.password === '') return url.href;
    const message = 'must be an http or https URL without credentials';
    context.addIssue({ code: 'custom', params: { code: 'format' }, message });
    return z.NEVER;
  })
  .describe('URL with the scheme http or https, without credentials.');

/** An address for callers that may not read subscribers: first letter and domain, or the origin of a URL. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@');
  if (at > 0 && !address.includes('://')) return `${address.slice(0, 1)}***${address.slice(at)}`;
  return URL.canParse(address) ? `${new URL(address).origin}/***` : '***';
}
