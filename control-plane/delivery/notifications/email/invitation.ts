import { joinUrl } from '../../../access/invitations/invitation.ts';
import { html } from '../../../platform/markup/html.ts';
import { languageOf } from '../../../publishing/status-pages/locale/language.ts';
import type { Email, EmailRecipient } from '../../transports/email/email.ts';
import { renderEmail } from '../../transports/email/layout.ts';
import { quotedName } from './confirmation.ts';
import { timeText } from './time-text.ts';

const sender = 'Upquorum';
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
  const language = languageOf('en');
  const inviter = nameOr(by, 'Somebody');
  const what = `${inviter} invites you to ${nameOr(project, 'a project', 'the project ')} with the role ${role}.`;
  const until = timeText(expiresAt, 'UTC', 'en-GB');
  const then = `The link works once, until ${until}. If you don’t know why you got this email, ignore it.`;
  const [button, url] = ['Show the invitation', joinUrl(baseUrl, token)];
  const why = `You’re receiving this email because somebody entered this address at ${baseUrl}.`;
  return {
    to,
    fromName: sender,
    subject,
    text: [subject, what, `${button}: ${url}`, then, `-- \n${why}`].join('\n\n'),
    html: renderEmail({
      language,
      title: subject,
      preheader: what,
      page: { name: sender, url: baseUrl },
      tone: 'note',
      badge: null,
      facts: [],
      body: html`<p style="margin:0 0 12px">${what}</p><p style="margin:0 0 12px">${then}</p>`,
      button: { text: button, url },
      footer: html`${why}`,
    }),
    messageId: deliveryId,
    threadId: null,
    listId: null,
    unsubscribeUrl: null,
  };
}

function nameOr(name: string | null, otherwise: string, before = ''): string {
  if (name === null || suspect.test(name)) return otherwise;
  return `${before}${quotedName(name, languageOf('en').words.email.quoted)}`;
}
