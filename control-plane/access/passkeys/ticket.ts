import { createHash } from 'node:crypto';
import { z } from 'zod';
import { minuteMs } from '#shared/duration.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';

/** For how long a browser may take over a passkey. */
export const ticketMs = 5 * minuteMs;
const context = 'passkey ticket';

const ticketSchema = z.object({
  purpose: z.enum(['sign_in', 'register', 'confirm']),
  challenge: z.string(),
  /** Who registers or confirms; null for a sign-in, and for somebody new. */
  personId: z.string().nullable(),
  /** By which invitation somebody new comes: the hash of its secret. */
  invitation: z.string().nullable(),
  /** What the authenticator will know the person by. */
  handle: z.string().nullable(),
  /** The name of somebody new. */
  name: z.string().nullable(),
  expiresAt: z.number(),
});

/** What an exchange with a passkey is for. The browser holds it sealed between its two requests. */
export type Ticket = z.infer<typeof ticketSchema>;

export function sealTicket(ticket: Ticket, keyring: Keyring): string {
  return Buffer.from(keyring.seal(JSON.stringify(ticket), context)).toString('base64url');
}

/** Null if no key opens it, or if it is too old. */
export function openTicket(text: string, keyring: Keyring, nowMs: number): Ticket | null {
  try {
    const ticket = ticketSchema.parse(JSON.parse(keyring.open(Buffer.from(text, 'base64url'), context)));
    return ticket.expiresAt > nowMs ? ticket : null;
  } catch {
    return null;
  }
}

/** What the database remembers of a ticket that was used. */
export function hashTicket({ challenge }: Pick<Ticket, 'challenge'>): Buffer {
  return createHash('sha256').update(challenge).digest();
}
