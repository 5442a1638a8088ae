import type { Sql } from '../../../platform/db/sql.ts';
import type { Outbound } from '../../../platform/http/outbound.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { findPage } from '../../../publishing/status-pages/store.ts';
import { openAddress, openToken } from '../../../publishing/subscribers/sealed.ts';
import { countFailure, resetFailures, type SubscriberRow } from '../../../publishing/subscribers/store.ts';
import { emailNotConfigured, type Mailer } from '../../transports/email/send.ts';
import { cancelled, type Outcome, onHold } from '../../transports/outcome.ts';
import type { Delivery } from '../delivery.ts';
import type { RenderText } from '../email/brief-rendering.ts';
import { confirmationEmail } from '../email/confirmation.ts';
import { updateEmail } from '../email/update.ts';
import { noticePayload } from '../incident-notice.ts';
import { maintenancePayload } from '../maintenance-notice.ts';
import { noticeKey } from '../maintenance-notice-store.ts';
import { chatPost, incidentNews, maintenanceNews, type UpdateNews } from '../update-news.ts';
import { type DeliveryContext, isVerdict, type Recipient } from './recipient.ts';
import { type SubscriberNews, subscriberTransports } from './subscriber-transports.ts';

export type SubscriberServices = {
  sql: Sql;
  keyring: Keyring;
  outbound: Outbound;
  /** Null without an SMTP server: emails are on hold. */
  mailer: Mailer | null;
  /** For texts that no publication has rendered yet. */
  render: RenderText;
  baseUrl: string;
};

/** Subscribers of status pages. */
export function subscriberRecipient(services: SubscriberServices): Recipient {
  const { sql } = services;
  return {
    attempt: (delivery, nowMs, context) =>
      delivery.kind === 'confirmation'
        ? sendConfirmation(services, delivery, context)
        : sendUpdate(services, delivery, context, nowMs),
    settled: async ({ kind, recipient }, settlement, nowMs, context) => {
      if (kind === 'confirmation' || !isVerdict(settlement)) return;
      if (settlement.state === 'failed') await countFailure(sql, recipient, settlement.gone, nowMs);
      else if ((context.subscribers.get(recipient)?.failures ?? 0) > 0) await resetFailures(sql, recipient);
    },
  };
}

async function sendUpdate(
  services: SubscriberServices,
  delivery: Delivery,
  context: DeliveryContext,
  nowMs: number,
): Promise<Outcome> {
  const subscriber = context.subscribers.get(delivery.recipient);
  if (subscriber === undefined) return cancelled('the subscriber was deleted');
  if (subscriber.state !== 'active') return cancelled(`the subscriber is ${subscriber.state}`);
  const news = newsOf(delivery, subscriber, context, services);
  if (news === null)
    return cancelled(`the ${delivery.kind === 'incident_update' ? 'incident' : 'maintenance'} was deleted`);
  const { keyring, outbound, mailer } = services;
  const transport = subscriberTransports[subscriber.channel];
  const { emails, posts } = context;
  const target = { subscriber, keyring, outbound, mailer, emails, posts, deliveryId: delivery.id, nowMs };
  return (await transport.send(news, target)).outcome;
}

/** What a subscriber is notified of; null if it was deleted meanwhile. */
function newsOf(
  { kind, subject }: Delivery,
  subscriber: SubscriberRow,
  context: DeliveryContext,
  { baseUrl, render }: Pick<SubscriberServices, 'baseUrl' | 'render'>,
): SubscriberNews | null {
  const formsOf = (news: UpdateNews) => ({
    email: () => updateEmail(news, baseUrl, render),
    chat: () => chatPost(news),
  });
  if (kind === 'incident_update') {
    const notice = context.notices.get(subject);
    if (notice === undefined) return null;
    return { key: subject, ...formsOf(incidentNews(notice, baseUrl)), payload: () => noticePayload(notice, baseUrl) };
  }
  const key = noticeKey(subject, subscriber.status_page_id);
  const notice = context.maintenances.get(key);
  if (notice === undefined) return null;
  return { key, ...formsOf(maintenanceNews(notice, baseUrl)), payload: () => maintenancePayload(notice, baseUrl) };
}

async function sendConfirmation(
  { sql, keyring, mailer, baseUrl }: SubscriberServices,
  delivery: Delivery,
  context: DeliveryContext,
): Promise<Outcome> {
  const subscriber = context.subscribers.get(delivery.recipient);
  if (subscriber?.state !== 'pending') return cancelled('the subscriber has already confirmed');
  const page = await findPage(sql, delivery.project_id, subscriber.status_page_id);
  if (page === null) return cancelled('the status page was deleted');
  if (mailer === null) return onHold(emailNotConfigured);
  const [to, token] = [openAddress(subscriber, keyring), openToken(subscriber, keyring)];
  return mailer.send(confirmationEmail(page, baseUrl, { to, token, deliveryId: delivery.id }));
}
