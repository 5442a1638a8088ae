import { z } from 'zod';
import { secondMs } from '#shared/duration.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { Gate } from '../access/gate.ts';

/** The browser goes from the dashboard to the page at once. */
const ticketMs = 60 * secondMs;
const ticketLengthMax = 1024;
const context = 'page-ticket';

const ticketSchema = z.object({
  page: z.string(),
  version: z.int(),
  /** Where the page is that it opens: elsewhere it is worth nothing. */
  host: z.string(),
  person: z.string(),
  at: z.number(),
});

/** With it a member comes from the dashboard to a page, which gets no cookie of the dashboard. */
export type PageTicket = z.infer<typeof ticketSchema>;

export function sealTicket(ticket: PageTicket, keyring: Keyring): string {
  return Buffer.from(keyring.seal(JSON.stringify(ticket), context)).toString('base64url');
}

/** The ticket in a text; null if it is none for this page and host, or too old. */
export function openTicket(
  text: string,
  { pageId, version }: Pick<Gate, 'pageId' | 'version'>,
  { keyring, host, nowMs }: { keyring: Keyring; host: string; nowMs: number },
): PageTicket | null {
  if (text.length > ticketLengthMax) return null;
  try {
    const ticket = ticketSchema.parse(JSON.parse(keyring.open(Buffer.from(text, 'base64url'), context)));
    const isOwn = ticket.page === pageId && ticket.version === version && ticket.host === host;
    return isOwn && Math.abs(nowMs - ticket.at) < ticketMs ? ticket : null;
  } catch {
    return null;
  }
}

/** Where the dashboard makes a ticket for whoever is signed in, or signs in first. */
export function signInUrl(baseUrl: string, pageId: string): string {
  return `${baseUrl}/auth/page/${pageId}`;
}
