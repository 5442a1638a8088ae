import { toTimestamp } from '#shared/clock.ts';
import { joinUrl } from '../../../access/invitations/invitation.ts';
import { mailedLinkMs } from '../../../access/invitations/mail.ts';
import type { PersonRow } from '../../../access/people/person.ts';
import { recordEverywhere } from '../../../access/people/record.ts';
import { insertLink, listVerified } from '../../../access/people/store.ts';
import { openAsked } from '../../../access/sign-in/mailed-link.ts';
import type { RecordChange } from '../../../platform/audit/record.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { hashBearer, newBearer } from '../../../platform/secrets/bearer.ts';
import { emailNotConfigured } from '../../transports/email/send.ts';
import { cancelled, type Outcome } from '../../transports/outcome.ts';
import type { Delivery } from '../delivery.ts';
import { type SignInLink, signInEmail } from '../email/sign-in.ts';
import type { InvitedServices } from './invited.ts';
import type { Recipient } from './recipient.ts';

export type AskedServices = InvitedServices & {
  recordChange: RecordChange;
  /** Runs in a transaction of its own. */
  transact<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
};

/** Whoever asked for a sign-in link by email, if their address is somebody's. */
export function askedRecipient(services: AskedServices): Recipient {
  return { attempt: (delivery, nowMs) => sendLinks(services, delivery, nowMs), settled: async () => {} };
}

async function sendLinks(
  services: AskedServices,
  { id, recipient, payload, created_at: askedAt }: Delivery,
  nowMs: number,
): Promise<Outcome> {
  const { sql, mailer, keyring, baseUrl } = services;
  if (mailer === null) return cancelled(emailNotConfigured);
  if (nowMs - askedAt >= mailedLinkMs) return cancelled('nobody waits for it any more');
  const email = openAsked((payload as { sealed: string }).sealed, recipient, keyring);
  const links: SignInLink[] = [];
  for (const person of await listVerified(sql, email))
    links.push({ name: person.name, url: joinUrl(baseUrl, await makeLink(services, person, nowMs)) });
  if (links.length === 0) return cancelled('nobody has shown that the address is theirs');
  return mailer.send(signInEmail(links, baseUrl, { to: email, deliveryId: id }));
}

/** Makes a link, and says so in the audit. Who asked is not known: anybody can type an address. */
async function makeLink({ transact, recordChange }: AskedServices, person: PersonRow, nowMs: number): Promise<string> {
  const { id: personId, name } = person;
  const secret = newBearer('upi');
  const expiresAt = nowMs + mailedLinkMs;
  const actor = { type: 'person', id: 'unknown', name: null } as const;
  const origin = { actor, via: 'dashboard', requestId: null, planId: null } as const;
  const after = { expires_at: toTimestamp(expiresAt), by_mail: true };
  const change = { action: 'sign_in_link.created', subject: personId, name, before: null, after } as const;
  await transact(async sql => {
    await insertLink(sql, { personId, hash: hashBearer(secret), expiresAt }, nowMs);
    await recordEverywhere(sql, recordChange, { personId, origin, change }, nowMs);
  });
  return secret;
}
