import { html } from '../../../platform/markup/html.ts';
import { pageUrl } from '../../../publishing/status-pages/hosts/own-address.ts';
import { fill, type Locale, languageOf } from '../../../publishing/status-pages/locale/language.ts';
import { type Email, type EmailRecipient, headerText } from '../../transports/email/email.ts';
import { renderEmail } from '../../transports/email/layout.ts';

const nameMax = 60;

/**
 * A page's name for an email to an address that anybody may have typed in: one line, cut, and with nothing in it that a
 * client would turn into a link or an address. `quoted` is the language’s form of a quotation.
 */
export function quotedName(name: string, quoted: string): string {
  const plain = headerText(name)
    .replace(/\S*:\/\/\S*/g, '…')
    .replace(/\S*@\S*/g, '…')
    .replace(/\S*\.\p{L}\S*/gu, '…')
    .replace(/\s+/g, ' ');
  const letters = Array.from(plain);
  return fill(quoted, { name: letters.length > nameMax ? `${letters.slice(0, nameMax - 1).join('')}…` : plain });
}

/**
 * The email that asks an address to confirm its subscription. Its subject and sender are fixed: the page's name is free
 * text, and reaches people who never asked for it. `baseUrl` has no slash at its end.
 */
export function confirmationEmail(
  page: { name: string; slug: string; domain?: string | null; locale: Locale },
  baseUrl: string,
  { to, token, deliveryId }: EmailRecipient,
): Email {
  const home = pageUrl(baseUrl, page);
  const confirmUrl = `${home}/confirm?token=${encodeURIComponent(token)}`;
  const language = languageOf(page.locale);
  const { email: words } = language.words;
  const what = fill(words.confirmWhat, { page: quotedName(page.name, words.quoted) });
  return {
    to,
    fromName: words.sender,
    subject: words.confirmSubject,
    text: [
      words.confirmTitle,
      what,
      words.confirmThen,
      fill(words.confirmAt, { url: confirmUrl }),
      words.confirmIgnore,
      home,
    ].join('\n\n'),
    html: renderEmail({
      language,
      title: words.confirmTitle,
      preheader: words.confirmThen,
      page: { name: words.sender, url: home },
      tone: 'note',
      badge: null,
      facts: [],
      body: html`<p style="margin:0 0 12px">${what}</p><p style="margin:0 0 12px">${words.confirmThen}</p>`,
      button: { text: words.confirm, url: confirmUrl },
      footer: html`${words.confirmIgnore}`,
    }),
    messageId: deliveryId,
    threadId: null,
    listId: null,
    unsubscribeUrl: null,
  };
}
