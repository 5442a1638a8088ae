import { randomUUID } from 'node:crypto';
import { html } from '../../../platform/markup/html.ts';
import { placeHeadings } from '../../../platform/markup/markdown.ts';
import { pageUrl } from '../../../publishing/status-pages/hosts/own-address.ts';
import { fill, fillHtml, languageOf } from '../../../publishing/status-pages/locale/language.ts';
import { type Email, type EmailRecipient, headerText } from '../../transports/email/email.ts';
import { emailLink, renderEmail, styleMarkdown } from '../../transports/email/layout.ts';
import type { UpdateNews } from '../update-news.ts';
import { type RenderText, renderShort } from './brief-rendering.ts';

/** Makes the email of an update for one of its recipients. */
export type UpdateEmail = (recipient: EmailRecipient) => Email;

const preheaderMax = 140;

/**
 * The email that notifies subscribers of an update, in text and HTML. It is rendered once; each recipient's differs by
 * the link that unsubscribes. `baseUrl` has no slash at its end; `render` is for texts without stored HTML.
 */
export function updateEmail(news: UpdateNews, baseUrl: string, render: RenderText = renderShort): UpdateEmail {
  const { page, title, state, badge, tone, facts, url, body } = news;
  const language = languageOf(page.locale);
  const rendered = news.rendered ?? render(body);
  const home = pageUrl(baseUrl, page);
  // Random, so that no text can contain it.
  const mark = randomUUID();
  const unsubscribeUrl = `${home}/unsubscribe?token=${mark}`;
  const { email: words } = language.words;
  const why = fill(words.why, { page: page.name });
  const text = [
    title,
    [badge, ...facts].join('\n'),
    body,
    fill(news.viewAt, { url }),
    `-- \n${why}\n${home}\n${fill(words.unsubscribeAt, { url: unsubscribeUrl })}`,
  ].join('\n\n');
  const markup = renderEmail({
    language,
    title,
    preheader: `${state}: ${rendered.excerpt.replace(/\s+/g, ' ').slice(0, preheaderMax)}`,
    page: { name: page.name, url: home },
    tone,
    badge,
    facts,
    body: styleMarkdown(placeHeadings(rendered.html, 2)),
    button: { text: news.view, url },
    footer: html`${fillHtml(words.why, { page: emailLink(home, page.name) })}. \
${emailLink(unsubscribeUrl, words.unsubscribe)}`,
  });
  const [subject, fromName] = [headerText(`[${page.name}] ${title}`), headerText(page.name)];
  return ({ to, token, deliveryId }) => {
    const withToken = (content: string) => content.replaceAll(mark, encodeURIComponent(token));
    return {
      to,
      fromName,
      subject,
      text: withToken(text),
      html: withToken(markup),
      messageId: deliveryId,
      threadId: news.id,
      listId: page.id.replaceAll('_', '-'),
      unsubscribeUrl: withToken(unsubscribeUrl),
    };
  };
}
