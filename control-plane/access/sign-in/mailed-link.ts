import type { Clock } from '#shared/clock.ts';
import { hourMs } from '#shared/duration.ts';
import { takeOfDay } from '../../platform/db/daily-budget-store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';

/** To one address, in an hour of the day. */
const mailsPerHour = 3;

/**
 * Queues the search for the people of an address, and the email to them. `recipient`: a keyed hash of the address.
 * Another wing sends it: bound in control-plane/roles/wings.ts.
 */
export type MailSignIn = (sql: Sql, asked: { recipient: string; sealed: string }, nowMs: number) => Promise<void>;

/**
 * Asks for a link by email. Whose the address is, is looked up when the email is sent: nothing here depends on it, and
 * no secret waits in a table.
 */
export async function askByMail(
  sql: Sql,
  email: string,
  { keyring, clock, mailSignIn }: { keyring: Keyring; clock: Clock; mailSignIn: MailSignIn },
): Promise<void> {
  const nowMs = clock.now();
  const recipient = keyring.hash(email.toLowerCase(), 'sign-in-address');
  const owner = `${recipient} ${Math.floor(nowMs / hourMs)}`;
  if (!(await takeOfDay(sql, owner, 'sign_in_mails', 1, { maximum: mailsPerHour, nowMs }))) return;
  const sealed = Buffer.from(keyring.seal(email, contextOf(recipient))).toString('base64');
  await mailSignIn(sql, { recipient, sealed }, nowMs);
}

/** The address that was typed in. Throws if no key opens it. */
export function openAsked(sealed: string, recipient: string, keyring: Keyring): string {
  return keyring.open(Buffer.from(sealed, 'base64'), contextOf(recipient));
}

const contextOf = (recipient: string) => `sign-in-mail ${recipient}`;
