import { randomUUID } from 'node:crypto';
import { impactTones, type Tone } from '../../design/tones.ts';
import { html } from '../../markup/html.ts';
import { placeHeadings } from '../../markup/markdown.ts';
import { renderText } from '../../markup/rendered-text.ts';
import { fill, fillHtml, languageOf } from '../../status-pages/locale/language.ts';
import type { IncidentNotice } from '../incident-notice.ts';
import { type Email, type EmailRecipient, headerText } from './email.ts';
import { emailLink, renderEmail, styleMarkdown } from './layout.ts';
import { timeText } from './time-text.ts';

/** Makes the email of an update for one of its recipients. */
export type UpdateEmail = (recipient: EmailRecipient) => Email;

const preheaderMax = 140;

/**
 * The email that notifies subscribers of an incident update, in text and HTML. It is rendered once; each recipient's
 * differs by the link that unsubscribes. `baseUrl` has no slash at its end.
 */
export function updateEmail({ page, incident, update }: IncidentNotice, baseUrl: string): UpdateEmail {
  const pageUrl = `${baseUrl}/status/${page.slug}`;
  const incidentUrl = `${pageUrl}/incidents/${incident.id}`;
  // Random, so that no text can contain it.
  const mark = randomUUID();
  const unsubscribeUrl = `${pageUrl}/unsubscribe?token=${mark}`;
  const language = languageOf(page.locale);
  const { state, impact, email: words } = language.words;
  const rendered = update.rendered ?? renderText(update.body);
  const badge = `${state[update.state]} · ${impact[incident.impact]}`;
  const affected = incident.components.map(component => component.name).join(', ');
  const facts = [
    ...(affected === '' ? [] : [fill(words.affected, { components: affected })]),
    fill(words.posted, { time: timeText(update.postedAt, page.timezone, language.dateLocale) }),
  ];
  const why = fill(words.why, { page: page.name });
  const text = [
    incident.title,
    [badge, ...facts].join('\n'),
    update.body,
    fill(words.viewAt, { url: incidentUrl }),
    `-- \n${why}\n${pageUrl}\n${fill(words.unsubscribeAt, { url: unsubscribeUrl })}`,
  ].join('\n\n');
  const tone: Tone = update.state === 'resolved' ? 'ok' : impactTones[incident.impact];
  const markup = renderEmail({
    language,
    title: incident.title,
    preheader: `${state[update.state]}: ${rendered.excerpt.replace(/\s+/g, ' ').slice(0, preheaderMax)}`,
    page: { name: page.name, url: pageUrl },
    tone,
    badge,
    facts,
    body: styleMarkdown(placeHeadings(rendered.html, 2)),
    button: { text: words.view, url: incidentUrl },
    footer: html`${fillHtml(words.why, { page: emailLink(pageUrl, page.name) })}. \
${emailLink(unsubscribeUrl, words.unsubscribe)}`,
  });
  const [subject, fromName] = [headerText(`[${page.name}] ${incident.title}`), headerText(page.name)];
  return ({ to, token, deliveryId }) => {
    const withToken = (content: string) => content.replaceAll(mark, encodeURIComponent(token));
    return {
      to,
      fromName,
      subject,
      text: withToken(text),
      html: withToken(markup),
      messageId: deliveryId,
      threadId: incident.id,
      listId: page.id.replaceAll('_', '-'),
      unsubscribeUrl: withToken(unsubscribeUrl),
    };
  };
}
