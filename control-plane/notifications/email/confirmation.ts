import { html } from '../../markup/html.ts';
import { type Email, type EmailRecipient, headerText } from './email.ts';
import { renderEmail } from './layout.ts';

const nameMax = 60;

/**
 * A page's name for an email to an address that anybody may have typed in: one line, cut, and with nothing in it that a
 * client would turn into a link or an address.
 */
export function quotedName(name: string): string {
  const plain = headerText(name)
    .replace(/\S*:\/\/\S*/g, '…')
    .replace(/\S*@\S*/g, '…')
    .replace(/\S*\.\p{L}\S*/gu, '…')
    .replace(/\s+/g, ' ');
  const letters = Array.from(plain);
  return `“${letters.length > nameMax ? `${letters.slice(0, nameMax - 1).join('')}…` : plain}”`;
}

/**
 * The email that asks an address to confirm its subscription. Its subject and sender are fixed: the page's name is free
 * text, and reaches people who never asked for it. `baseUrl` has no slash at its end.
 */
export function confirmationEmail(
  page: { name: string; slug: string },
  baseUrl: string,
  { to, token, deliveryId }: EmailRecipient,
): Email {
  const pageUrl = `${baseUrl}/status/${page.slug}`;
  const confirmUrl = `${pageUrl}/confirm?token=${encodeURIComponent(token)}`;
  const title = 'Confirm your subscription';
  const what = `Someone, hopefully you, asked for emails about the status page ${quotedName(page.name)}.`;
  const then = 'Once you confirm, you receive an email for each incident update. The link is valid for 7 days.';
  const ignore = 'If you did not request this, ignore this email: without a confirmation you are not subscribed.';
  return {
    to,
    fromName: 'Status page notifications',
    subject: 'Confirm your subscription to a status page',
    text: [title, what, then, `Confirm subscription: ${confirmUrl}`, ignore, pageUrl].join('\n\n'),
    html: renderEmail({
      title,
      preheader: then,
      page: { name: 'Status page notifications', url: pageUrl },
      tone: 'note',
      badge: null,
      facts: [],
      body: html`<p style="margin:0 0 12px">${what}</p><p style="margin:0 0 12px">${then}</p>`,
      button: { text: 'Confirm subscription', url: confirmUrl },
      footer: html`${ignore}`,
    }),
    messageId: deliveryId,
    threadId: null,
    listId: null,
    unsubscribeUrl: null,
  };
}
