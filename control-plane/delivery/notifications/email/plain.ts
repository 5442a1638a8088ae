import { type Html, html } from '../../../platform/markup/html.ts';
import { languageOf } from '../../../publishing/status-pages/locale/language.ts';
import type { Email } from '../../transports/email/email.ts';
import { renderEmail } from '../../transports/email/layout.ts';

const sender = 'Upquorum';

export type PlainText = {
  title: string;
  /** Before the button, and after it. */
  what: string;
  advice: string;
  /** The first is a button, the others are links below it. */
  links: readonly { text: string; url: string }[];
  /** Why somebody gets the email. */
  why: string;
};

/** An email of the installation itself, not of a page. */
export function plainEmail(
  { title, what, advice, links, why }: PlainText,
  baseUrl: string,
  { to, deliveryId }: { to: string; deliveryId: string },
): Email {
  const [button, ...others] = links;
  if (button === undefined) throw new Error('the email leads nowhere');
  const paragraph = (content: Html | string) => html`<p style="margin:0 0 12px">${content}</p>`;
  const below = others.map(({ text, url }) => html`<a href="${url}">${text}</a>`);
  const lines = links.map(({ text, url }) => `${text}: ${url}`);
  return {
    to,
    fromName: sender,
    subject: title,
    text: [title, what, ...lines, advice, `-- \n${why}`].join('\n\n'),
    html: renderEmail({
      language: languageOf('en'),
      title,
      preheader: what,
      page: { name: sender, url: baseUrl },
      tone: 'note',
      badge: null,
      facts: [],
      body: html`${[what, advice, ...below].map(paragraph)}`,
      button,
      footer: html`${why}`,
    }),
    messageId: deliveryId,
    threadId: null,
    listId: null,
    unsubscribeUrl: null,
  };
}
