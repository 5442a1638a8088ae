import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';

/** `failing`: proven, but the proof is not found any more. `lost`: was proven, and is not any more. */
const domainStates = ['pending', 'verified', 'failing', 'lost'] as const;
type ShownState = (typeof domainStates)[number];
export type DomainState = ShownState | 'removed';

/** States in which the page is served at the domain. */
export const provenStates: readonly DomainState[] = ['verified', 'failing'];

const lengthMax = 253;
const [labelsMin, labelsMax] = [2, 10];

/**
 * The name as it is stored: lower-case, with A-labels (RFC 5890). Null for what is no name of a host below a top-level
 * domain, such as an address, a name with a port, or a wildcard.
 */
export function domainNameOf(text: string): string | null {
  // What the conversion would take away, decode or cut off.
  if (text.length > lengthMax || /[\s%/\\:?#@[\]\p{Cc}]/u.test(text)) return null;
  const name = domainToASCII(text).toLowerCase();
  const labels = name.split('.');
  const isName = labels.every(label => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
  const top = labels.at(-1) ?? '';
  if (!isName || labels.length < labelsMin || labels.length > labelsMax || name.length > lengthMax) return null;
  return isIP(name) !== 0 || /^(\d+|0x[0-9a-f]*)$/.test(top) ? null : name;
}

/** Whether a name is the host of `baseUrl` or stands above it. */
export function isOurs(domain: string, baseUrl: string): boolean {
  return `.${hostOfUrl(baseUrl)}`.endsWith(`.${domain}`);
}

/** The name of the host, without its port and a final dot. */
export function hostOfUrl(url: string): string {
  return new URL(url).hostname.replace(/\.$/, '');
}

export const domainSchema = z.string().max(lengthMax);

export const pageDomainSchema = z
  .object({
    id: z.string(),
    domain: z.string().describe('The name in lower case; other letters than ASCII as A-labels (`xn--…`).'),
    state: z.enum(domainStates),
    record: z
      .object({ name: z.string(), type: z.literal('TXT'), value: z.string() })
      .describe('The record whose presence proves that the domain is yours.'),
    target: z.string().describe('Host that the domain has to lead to, by CNAME or its addresses.'),
    points_here: z
      .boolean()
      .nullable()
      .describe('Whether the domain led to `target` at the last look; null if this is not known. A hint alone.'),
    error: z.string().nullable().describe('Why the last look found no proof.'),
    checked_at: z.string().nullable(),
    verified_at: z.string().nullable().describe('When the domain was proven; null if it never was.'),
    created_at: z.string(),
  })
  .meta({ title: 'PageDomain' });

/** A row of `page_domains`. */
export type DomainRow = {
  id: string;
  project_id: string;
  status_page_id: string;
  domain: string;
  token: string;
  state: DomainState;
  state_since: number;
  points_here: boolean | null;
  error: string | null;
  checked_at: number | null;
  verified_at: number | null;
  asked_at: number | null;
  next_check_at: number | null;
  created_at: number;
};

/** The TXT record that proves a domain. */
export function proofOf({ domain, token }: Pick<DomainRow, 'domain' | 'token'>): { name: string; value: string } {
  return { name: `_upquorum.${domain}`, value: `upquorum-page=${token}` };
}

export function viewDomain(row: DomainRow, baseUrl: string) {
  const { name, value } = proofOf(row);
  return {
    id: row.id,
    domain: row.domain,
    state: row.state,
    record: { name, type: 'TXT', value },
    target: hostOfUrl(baseUrl),
    points_here: row.points_here,
    error: row.error,
    checked_at: row.checked_at === null ? null : toTimestamp(row.checked_at),
    verified_at: row.verified_at === null ? null : toTimestamp(row.verified_at),
    created_at: toTimestamp(row.created_at),
  };
}

/** A domain for the audit. */
export function auditDomain({ domain, status_page_id }: Pick<DomainRow, 'domain' | 'status_page_id'>) {
  return { domain, status_page_id };
}
