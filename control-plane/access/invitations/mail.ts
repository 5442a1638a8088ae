import { dayMs, minuteMs, secondMs } from '#shared/duration.ts';
import { takeOfDay } from '../../platform/db/daily-budget-store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { hashBearer, newBearer } from '../../platform/secrets/bearer.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import type { InvitationRow } from './invitation.ts';
import { askForInvitation } from './store.ts';

/** For how long a link works that somebody asks for, and waits for. */
export const mailedLinkMs = 15 * minuteMs;
/** Emails to one address in a UTC day, of all projects together. */
const mailsPerDay = 3;
/** Emails that those who have one invitation ask for in a UTC day: its link may be in many hands. */
const proofsPerDay = 10;

/**
 * Queues the email of an invitation, in the transaction that makes its link. Another wing sends it: bound in
 * control-plane/roles/wings.ts.
 */
export type MailInvitation = (
  sql: Sql,
  invitation: { id: string; projectId: string; sealed: string },
  nowMs: number,
) => Promise<void>;

/** `canMail`: false without an SMTP server. */
export type MailServices = { keyring: Keyring; canMail: boolean; mailInvitation: MailInvitation };

/** The secret for an email to the address; null if none is sent. Throws `rate_limited`. */
export async function mailSecretFor(
  sql: Sql,
  email: string | null,
  { keyring, canMail }: MailServices,
  nowMs: number,
): Promise<string | null> {
  if (email === null || !canMail) return null;
  if (await mayMail(sql, email, keyring, nowMs)) return newBearer('upi');
  throw new Problem('rate_limited', {
    detail: 'the address has got its invitations of this UTC day',
    retryAfter: untilNextDay(nowMs),
  });
}

/** Counts an email to an address. False if it has got those of its day. */
async function mayMail(sql: Sql, email: string, keyring: Keyring, nowMs: number): Promise<boolean> {
  const address = keyring.hash(email.toLowerCase(), 'invited');
  return takeOfDay(sql, address, 'invitations', 1, { maximum: mailsPerDay, nowMs });
}

/**
 * Queues an email with a link of the invitation that proves the address, for somebody who has another one. It does
 * nothing if the address, or the invitation, has had all emails of its day, and does not say so.
 */
export async function mailProof(
  sql: Sql,
  invitation: InvitationRow,
  email: string,
  services: Omit<MailServices, 'canMail'>,
  nowMs: number,
): Promise<void> {
  const limit = { maximum: proofsPerDay, nowMs };
  if (!(await takeOfDay(sql, invitation.id, 'invitations', 1, limit))) return;
  if (!(await mayMail(sql, email, services.keyring, nowMs))) return;
  const secret = newBearer('upi');
  await askForInvitation(sql, invitation.id, { email, hash: hashBearer(secret), until: nowMs + mailedLinkMs });
  await sendByMail(sql, invitation, secret, services, nowMs);
}

/** Queues the email, if there is one. */
export async function sendByMail(
  sql: Sql,
  { id, project_id: projectId }: InvitationRow,
  secret: string | null,
  { keyring, mailInvitation }: Omit<MailServices, 'canMail'>,
  nowMs: number,
): Promise<void> {
  if (secret === null) return;
  const sealed = Buffer.from(keyring.seal(secret, contextOf(id))).toString('base64');
  await mailInvitation(sql, { id, projectId, sealed }, nowMs);
}

/** The secret that was queued. Throws if no key opens it. */
export function openMailed(sealed: string, id: string, keyring: Keyring): string {
  return keyring.open(Buffer.from(sealed, 'base64'), contextOf(id));
}

/** In seconds. */
export function untilNextDay(nowMs: number): number {
  return Math.ceil((dayMs - (nowMs % dayMs)) / secondMs);
}

const contextOf = (id: string) => `invitation ${id}`;
