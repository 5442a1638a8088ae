import { randomUUID } from 'node:crypto';
import { impactWords, stateWords } from '../../design/labels.ts';
import { impactTones, type Tone } from '../../design/tones.ts';
import { html } from '../../markup/html.ts';
import { plainText, renderMarkdown } from '../../markup/markdown.ts';
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
  const badge = `${stateWords[update.state]} · ${impactWords[incident.impact]}`;
  const affected = incident.components.map(component => component.name).join(', ');
  const facts = [
    ...(affected === '' ? [] : [`Affected: ${affected}`]),
    `Posted: ${timeText(update.postedAt, page.timezone)}`,
  ];
  const why = 'You receive this email because you subscribed to';
  const text = [
    incident.title,
    [badge, ...facts].join('\n'),
    update.body,
    `View the incident: ${incidentUrl}`,
    `-- \n${why} ${page.name}: ${pageUrl}\nUnsubscribe: ${unsubscribeUrl}`,
  ].join('\n\n');
  const tone: Tone = update.state === 'resolved' ? 'ok' : impactTones[incident.impact];
  const markup = renderEmail({
    title: incident.title,
    preheader: `${stateWords[update.state]}: ${plainText(update.body).replace(/\s+/g, ' ').slice(0, preheaderMax)}`,
    page: { name: page.name, url: pageUrl },
    tone,
    badge,
    facts,
    body: styleMarkdown(renderMarkdown(update.body, 2)),
    button: { text: 'View incident', url: incidentUrl },
    footer: html`${why} ${emailLink(pageUrl, page.name)}. ${emailLink(unsubscribeUrl, 'Unsubscribe')}`,
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
