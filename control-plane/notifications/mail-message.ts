import { toTimestamp } from '#shared/clock.ts';
import { escapeText } from '../status-pages/render/escape.ts';
import { plainText, renderMarkdown } from '../status-pages/render/markdown.ts';
import { impactWords, stateWords } from '../status-pages/render/words.ts';
import type { News } from './news-store.ts';

/** A mail before it is written down: nothing in it but text, and headers only from `mailHeader`. */
export type Mail = {
  to: string;
  fromName: string;
  subject: string;
  text: string;
  html: string;
  /** Without angle brackets and domain. */
  messageId: string;
  /** First of its thread, which was never sent itself: so clients put all mails of an incident together. */
  threadId: string | null;
  /** Address of the one-click unsubscription; null for a confirmation. */
  unsubscribeUrl: string | null;
};

export type Letterhead = { baseUrl: string; to: string; token: string; deliveryId: string };

/** Text that may stand in a header: one line, no control characters, nothing that turns the direction of writing. */
export function mailHeader(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
}

export function updateMail(news: News, { baseUrl, to, token, deliveryId }: Letterhead): Mail {
  const { page, incident, update } = news;
  const pageUrl = `${baseUrl}/status/${page.slug}`;
  const url = `${pageUrl}/incidents/${incident.id}`;
  const unsubscribeUrl = `${pageUrl}/unsubscribe?token=${encodeURIComponent(token)}`;
  const affected = incident.components.map(component => component.name).join(', ');
  const facts = [
    `${stateWords[update.state]} · ${impactWords[incident.impact]}`,
    ...(affected === '' ? [] : [`Affected: ${affected}`]),
    `Posted: ${toTimestamp(update.postedAt)}`,
  ];
  const text = [
    incident.title,
    facts.join('\n'),
    plainText(update.body),
    url,
    `-- \nYou get this because you subscribed to ${page.name}: ${pageUrl}\nUnsubscribe: ${unsubscribeUrl}`,
  ].join('\n\n');
  const html = htmlMail(incident.title, [
    ...facts.map(fact => `<p style="margin:0;color:#555">${escapeText(fact)}</p>`),
    renderMarkdown(update.body, 2),
    `<p>${link(url, 'See the whole incident')}</p>`,
    `<hr><p style="color:#555">You get this because you subscribed to ${link(pageUrl, page.name)}. ${link(unsubscribeUrl, 'Unsubscribe')}</p>`,
  ]);
  return {
    to,
    fromName: mailHeader(page.name),
    subject: mailHeader(`[${page.name}] ${incident.title}`),
    text,
    html,
    messageId: deliveryId,
    threadId: incident.id,
    unsubscribeUrl,
  };
}

export function confirmationMail(
  page: { name: string; slug: string },
  { baseUrl, to, token, deliveryId }: Letterhead,
): Mail {
  const pageUrl = `${baseUrl}/status/${page.slug}`;
  const url = `${pageUrl}/confirm?token=${encodeURIComponent(token)}`;
  const title = `Confirm your subscription to ${page.name}`;
  const why = 'If it was not you who asked for this, do nothing: without a confirmation you get no further mail.';
  return {
    to,
    fromName: mailHeader(page.name),
    subject: mailHeader(`[${page.name}] Confirm your subscription`),
    text: [title, url, why, pageUrl].join('\n\n'),
    html: htmlMail(title, [`<p>${link(url, 'Confirm subscription')}</p>`, `<p style="color:#555">${why}</p>`]),
    messageId: deliveryId,
    threadId: null,
    unsubscribeUrl: null,
  };
}

function htmlMail(title: string, parts: readonly string[]): string {
  const heading = escapeText(title);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${heading}</title></head>
<body style="font:16px/1.5 system-ui,sans-serif;max-width:40em;margin:1em auto;padding:0 1em"><h1 style="font-size:1.3em">${heading}</h1>
${parts.join('\n')}</body></html>`;
}

function link(url: string, text: string): string {
  return `<a href="${escapeText(url)}">${escapeText(text)}</a>`;
}
