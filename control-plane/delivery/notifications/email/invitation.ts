import { joinUrl } from '../../../access/invitations/invitation.ts';
import { languageOf } from '../../../publishing/status-pages/locale/language.ts';
import type { Email, EmailRecipient } from '../../transports/email/email.ts';
import { quotedName } from './confirmation.ts';
import { plainEmail } from './plain.ts';
import { timeText } from './time-text.ts';

const subject = 'You are invited to Upquorum';
/** What a client would make a link or an address of, or that a reader cannot see. */
const suspect = /:\/\/|@|\.\p{L}|\p{C}/u;

/**
 * The email that invites an address, whoever has it. Subject and sender are fixed, and suspect names are left out: they
 * are free text, and reach people who never asked for it.
 */
export function invitationEmail(
  { project, by, role, expiresAt }: { project: string; by: string | null; role: string; expiresAt: number },
  baseUrl: string,
  { to, token, deliveryId }: EmailRecipient,
): Email {
  const inviter = nameOr(by, 'Somebody');
  const what = `${inviter} invites you to ${nameOr(project, 'a project', 'the project ')} with the role ${role}.`;
  const until = timeText(expiresAt, 'UTC', 'en-GB');
  const advice = `The link works once, until ${until}. If you don’t know why you got this email, ignore it.`;
  const [button, url] = ['Show the invitation', joinUrl(baseUrl, token)];
  const why = `You’re receiving this email because somebody entered this address at ${baseUrl}.`;
  return plainEmail({ title: subject, what, advice, links: [{ text: button, url }], why }, baseUrl, { to, deliveryId });
}

function nameOr(name: string | null, otherwise: string, before = ''): string {
  if (name === null || suspect.test(name)) return otherwise;
  return `${before}${quotedName(name, languageOf('en').words.email.quoted)}`;
}
