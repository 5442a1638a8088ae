import { joinUrl } from '../../../access/invitations/invitation.ts';
import { languageOf } from '../../../publishing/status-pages/locale/language.ts';
import type { Email, EmailRecipient } from '../../transports/email/email.ts';
import { quotedName } from './confirmation.ts';
import { plainEmail } from './plain.ts';
import { timeText } from './time-text.ts';

const subject = 'You are invited to Upquorum';
const askedSubject = 'Join Upquorum with this address';
/** What a client would make a link or an address of, or that a reader cannot see. */
const suspect = /:\/\/|@|\.\p{L}|\p{C}/u;

/** `asked`: for somebody who has the invitation, and has to show that the address is theirs. */
type About = { project: string; by: string | null; role: string; expiresAt: number; asked: boolean };

/**
 * The email that invites an address, whoever has it. Subject and sender are fixed, and suspect names are left out: they
 * are free text, and reach people who never asked for it.
 */
export function invitationEmail(
  { project, by, role, expiresAt, asked }: About,
  baseUrl: string,
  { to, token, deliveryId }: EmailRecipient,
): Email {
  const inviter = nameOr(by, 'Somebody');
  const where = `${nameOr(project, 'a project', 'the project ')} with the role ${role}`;
  const what = asked
    ? `Somebody, probably you, entered this address to join ${where}. The invitation is from ${nameOr(by, 'somebody')}.`
    : `${inviter} invites you to ${where}.`;
  const until = asked ? 'for 15 minutes' : `until ${timeText(expiresAt, 'UTC', 'en-GB')}`;
  const warning = asked ? 'It signs in with this address: don’t pass it on. ' : '';
  const advice = `The link works once, ${until}. ${warning}If you don’t know why you got this email, ignore it.`;
  const [button, url] = ['Show the invitation', joinUrl(baseUrl, token)];
  const why = `You’re receiving this email because somebody entered this address at ${baseUrl}.`;
  return plainEmail(
    { title: asked ? askedSubject : subject, what, advice, links: [{ text: button, url }], why },
    baseUrl,
    { to, deliveryId },
  );
}

function nameOr(name: string | null, otherwise: string, before = ''): string {
  if (name === null || suspect.test(name)) return otherwise;
  return `${before}${quotedName(name, languageOf('en').words.email.quoted)}`;
}
