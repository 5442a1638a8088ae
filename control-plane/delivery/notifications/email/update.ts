import { randomUUID } from 'node:crypto';
import { impactTones, type Tone } from '../../../platform/design/tones.ts';
import { html } from '../../../platform/markup/html.ts';
import { placeHeadings } from '../../../platform/markup/markdown.ts';
import type { RenderedText } from '../../../platform/markup/rendered-text.ts';
import { fill, fillHtml, type Language, languageOf } from '../../../publishing/status-pages/locale/language.ts';
import { type Email, type EmailRecipient, headerText } from '../../transports/email/email.ts';
import { emailLink, renderEmail, styleMarkdown } from '../../transports/email/layout.ts';
import type { IncidentNotice } from '../incident-notice.ts';
import { type MaintenanceNotice, maintenanceUrl } from '../maintenance-notice.ts';
import { type RenderText, renderShort } from './brief-rendering.ts';
import { timeText } from './time-text.ts';

/** Makes the email of an update for one of its recipients. */
export type UpdateEmail = (recipient: EmailRecipient) => Email;

const preheaderMax = 140;

/** What differs between emails about incidents and about maintenance. */
type Notified = {
  /** Of the incident or window: its emails are one thread. */
  id: string;
  title: string;
  state: string;
  badge: string;
  tone: Tone;
  facts: readonly string[];
  url: string;
  view: string;
  viewAt: string;
  body: string;
  rendered: RenderedText;
};

/**
 * The email that notifies subscribers of an incident update, in text and HTML. It is rendered once; each recipient's
 * differs by the link that unsubscribes. `baseUrl` has no slash at its end; `render` is for texts without stored HTML.
 */
export function updateEmail(
  { page, incident, update }: IncidentNotice,
  baseUrl: string,
  render: RenderText = renderShort,
): UpdateEmail {
  const language = languageOf(page.locale);
  const { state, impact, email: words } = language.words;
  return emailOf(page, language, baseUrl, {
    id: incident.id,
    title: incident.title,
    state: state[update.state],
    badge: `${state[update.state]} · ${impact[incident.impact]}`,
    tone: update.state === 'resolved' ? 'ok' : impactTones[incident.impact],
    facts: [
      ...affectedFact(incident.components, language),
      fill(words.posted, { time: timeText(update.postedAt, page.timezone, language.dateLocale) }),
    ],
    url: `${baseUrl}/status/${page.slug}/incidents/${incident.id}`,
    view: words.view,
    viewAt: words.viewAt,
    body: update.body,
    rendered: update.rendered ?? render(update.body),
  });
}

/** The same of an update of a maintenance window. */
export function maintenanceEmail(
  { page, maintenance, update }: MaintenanceNotice,
  baseUrl: string,
  render: RenderText = renderShort,
): UpdateEmail {
  const language = languageOf(page.locale);
  const { maintenance: words, email } = language.words;
  const time = (ms: number) => timeText(ms, page.timezone, language.dateLocale);
  const state = words.state[update.state];
  return emailOf(page, language, baseUrl, {
    id: maintenance.id,
    title: maintenance.title,
    state,
    badge: `${words.kind} · ${state}`,
    tone: update.state === 'completed' ? 'ok' : 'work',
    facts: [
      fill(words.when, { start: time(maintenance.startsAt), end: time(maintenance.endsAt) }),
      ...affectedFact(maintenance.components, language),
      fill(email.posted, { time: time(update.postedAt) }),
    ],
    url: maintenanceUrl(baseUrl, page.slug, maintenance.id),
    view: words.view,
    viewAt: words.viewAt,
    body: update.body,
    rendered: update.rendered ?? render(update.body),
  });
}

function affectedFact(components: readonly { name: string }[], { words }: Language): string[] {
  const names = components.map(component => component.name).join(', ');
  return names === '' ? [] : [fill(words.email.affected, { components: names })];
}

function emailOf(page: IncidentNotice['page'], language: Language, baseUrl: string, notified: Notified): UpdateEmail {
  const { title, state, badge, tone, facts, url, body, rendered } = notified;
  const pageUrl = `${baseUrl}/status/${page.slug}`;
  // Random, so that no text can contain it.
  const mark = randomUUID();
  const unsubscribeUrl = `${pageUrl}/unsubscribe?token=${mark}`;
  const { email: words } = language.words;
  const why = fill(words.why, { page: page.name });
  const text = [
    title,
    [badge, ...facts].join('\n'),
    body,
    fill(notified.viewAt, { url }),
    `-- \n${why}\n${pageUrl}\n${fill(words.unsubscribeAt, { url: unsubscribeUrl })}`,
  ].join('\n\n');
  const markup = renderEmail({
    language,
    title,
    preheader: `${state}: ${rendered.excerpt.replace(/\s+/g, ' ').slice(0, preheaderMax)}`,
    page: { name: page.name, url: pageUrl },
    tone,
    badge,
    facts,
    body: styleMarkdown(placeHeadings(rendered.html, 2)),
    button: { text: notified.view, url },
    footer: html`${fillHtml(words.why, { page: emailLink(pageUrl, page.name) })}. \
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
      threadId: notified.id,
      listId: page.id.replaceAll('_', '-'),
      unsubscribeUrl: withToken(unsubscribeUrl),
    };
  };
}
