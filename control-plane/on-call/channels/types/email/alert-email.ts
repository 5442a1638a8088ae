import { quotedName } from '../../../../delivery/notifications/email/confirmation.ts';
import { type Email, headerText } from '../../../../delivery/transports/email/email.ts';
import { emailLink, renderEmail } from '../../../../delivery/transports/email/layout.ts';
import { cut } from '../../../../delivery/transports/text.ts';
import { html } from '../../../../platform/markup/html.ts';
import { languageOf } from '../../../../publishing/status-pages/locale/language.ts';
import type { Message } from '../../message.ts';

const subjectMax = 250;

/** The email of a notice to one address. The emails of a group refer to one message, so that clients thread them. */
export function alertEmail(message: Message, to: string, deliveryId: string): Email {
  const { notice, acknowledgeUrl } = message;
  const project = cut(headerText(notice.project.name), 60);
  const title = cut(message.title, subjectMax);
  const [first = '', ...rest] = message.lines;
  const links = [`View: ${message.url}`, ...(acknowledgeUrl === null ? [] : [`Acknowledge: ${acknowledgeUrl}`])];
  const why = `You’re receiving this email because alerts of the project ${project} are sent to this address.`;
  const paragraph = (text: string) => html`<p style="margin:0 0 8px">${text}</p>`;
  const view = html`<p style="margin:0 0 8px">${emailLink(message.url, 'View the alert')}</p>`;
  return {
    to,
    fromName: project,
    subject: headerText(`[${project}] ${title}`),
    text: [title, message.lines.join('\n'), links.join('\n'), `-- \n${why}`].join('\n\n'),
    html: renderEmail({
      language: languageOf('en'),
      title,
      preheader: first,
      page: { name: project, url: message.url },
      tone: message.tone,
      badge: notice.members.length === 0 ? null : message.severity.toUpperCase(),
      facts: [],
      body: html`${[first, ...rest].filter(line => line !== '').map(paragraph)}${acknowledgeUrl !== null && view}`,
      button:
        acknowledgeUrl === null ? { text: 'View', url: message.url } : { text: 'Acknowledge', url: acknowledgeUrl },
      footer: html`${why}`,
    }),
    messageId: deliveryId,
    threadId: message.threadKey,
    listId: null,
    unsubscribeUrl: null,
  };
}

/** The email that asks an address, which anybody may have typed in, whether it wants alerts of a project. */
export function addressConfirmationEmail(project: string, url: string, to: string, deliveryId: string): Email {
  const title = 'Confirm your address for alerts';
  const language = languageOf('en');
  const name = quotedName(project, language.words.email.quoted);
  const what = `Someone, hopefully you, asked for alerts of the project ${name} to be emailed to this address.`;
  const then =
    'Once you confirm, you’ll receive the alerts that are routed to this address. The link is valid for 7 days.';
  const ignore = 'If you did not expect this, ignore this email: you won’t receive alerts unless you confirm.';
  return {
    to,
    fromName: 'Alerts',
    subject: title,
    text: [title, what, then, `Confirm: ${url}`, ignore].join('\n\n'),
    html: renderEmail({
      language,
      title,
      preheader: then,
      page: { name: 'Alerts', url },
      tone: 'note',
      badge: null,
      facts: [],
      body: html`<p style="margin:0 0 12px">${what}</p><p style="margin:0 0 12px">${then}</p>`,
      button: { text: 'Confirm address', url },
      footer: html`${ignore}`,
    }),
    messageId: deliveryId,
    threadId: null,
    listId: null,
    unsubscribeUrl: null,
  };
}
