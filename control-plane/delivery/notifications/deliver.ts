import { findAlert } from '../../monitoring/alerts/store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Outbound } from '../../platform/http/outbound.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { findPage } from '../../publishing/status-pages/store.ts';
import { openAddress, openSecret, openToken } from '../../publishing/subscribers/sealed.ts';
import {
  countFailure,
  findSubscribers,
  resetFailures,
  type SubscriberRow,
} from '../../publishing/subscribers/store.ts';
import { type ChannelSender, type Delivery, emailNotConfigured, type Outcome, type Settlement } from './delivery.ts';
import type { RenderText } from './email/brief-rendering.ts';
import { confirmationEmail } from './email/confirmation.ts';
import type { Mailer } from './email/send.ts';
import { maintenanceEmail, type UpdateEmail, updateEmail } from './email/update.ts';
import { type IncidentNotice, noticePayload } from './incident-notice.ts';
import { readNotices } from './incident-notice-store.ts';
import { type MaintenanceNotice, maintenancePayload } from './maintenance-notice.ts';
import { noticeKey, readMaintenanceNotices } from './maintenance-notice-store.ts';
import { type SlackNotice, slackMessage } from './slack/message.ts';
import { sendSlack } from './slack/send.ts';
import { findThread, readSlackToken, saveThread } from './slack/store.ts';
import { sendWebhook } from './webhooks/send.ts';
import {
  countWebhookFailure,
  findWebhook,
  openUrl,
  openWebhookSecrets,
  resetWebhookFailures,
} from './webhooks/store.ts';

export type DeliveryServices = {
  sql: Sql;
  keyring: Keyring;
  outbound: Outbound;
  /** Null without an SMTP server: emails are held. */
  mailer: Mailer | null;
  /** For texts that no publication has rendered yet. */
  render: RenderText;
  baseUrl: string;
  slackApiUrl: string;
  channels: ChannelSender;
};

/**
 * What the deliveries of one claim share, by id: subscribers, and notices by the id of their update. Emails are
 * rendered once per update.
 */
export type DeliveryContext = {
  subscribers: Map<string, SubscriberRow>;
  notices: Map<string, IncidentNotice>;
  maintenances: Map<string, MaintenanceNotice>;
  emails: Map<string, UpdateEmail>;
};

const toSubscribers: ReadonlySet<Delivery['kind']> = new Set(['incident_update', 'maintenance_update', 'confirmation']);

export const noContext: DeliveryContext = {
  subscribers: new Map(),
  notices: new Map(),
  maintenances: new Map(),
  emails: new Map(),
};

/** Reads what the deliveries need, once for all of them. What was deleted is missing. */
export async function loadContext(sql: Sql, deliveries: readonly Delivery[]): Promise<DeliveryContext> {
  if (deliveries.length === 0) return noContext;
  const subjects = (wanted: Delivery['kind']) => [
    ...new Set(deliveries.filter(({ kind }) => kind === wanted).map(({ subject }) => subject)),
  ];
  const recipients = deliveries
    .filter(({ kind, channel }) => channel !== 'operator' && toSubscribers.has(kind))
    .map(({ recipient }) => recipient);
  const [subscribers, notices, maintenances] = await Promise.all([
    recipients.length === 0 ? [] : findSubscribers(sql, [...new Set(recipients)]),
    readNotices(sql, subjects('incident_update')),
    readMaintenanceNotices(sql, subjects('maintenance_update')),
  ]);
  return { subscribers: new Map(subscribers.map(row => [row.id, row])), notices, maintenances, emails: new Map() };
}

/** Makes one attempt. A delivery whose subject or recipient is gone is cancelled. */
export async function attempt(
  services: DeliveryServices,
  delivery: Delivery,
  context: DeliveryContext,
  nowMs: number,
): Promise<Outcome> {
  if (delivery.channel === 'operator') return services.channels.attempt(delivery, nowMs);
  switch (delivery.kind) {
    case 'incident_update':
    case 'maintenance_update':
      return deliverUpdate(services, delivery, context, nowMs);
    case 'confirmation':
      return sendConfirmation(services, delivery, context);
    case 'webhook':
      return deliverToProject(services, delivery, nowMs);
    case 'alert':
      return deliverToSlack(services, delivery, nowMs);
    case 'operator':
    case 'digest':
    case 'notice':
    case 'test':
      return cancelled('this version does not support this kind of delivery');
    default:
      return delivery.kind satisfies never;
  }
}

/** Counts the end of a delivery for or against its recipient: repeated failures stop further deliveries. */
export async function updateRecipientHealth(
  { sql, channels }: DeliveryServices,
  delivery: Delivery,
  settlement: Settlement,
  context: DeliveryContext,
  nowMs: number,
): Promise<void> {
  if (delivery.channel === 'operator') return channels.settled(delivery, settlement, nowMs);
  const ended = settlement.state === 'sent' || settlement.state === 'failed';
  if (!ended || (settlement.state === 'failed' && !settlement.blame)) return;
  if (delivery.kind === 'webhook')
    return settlement.state === 'sent'
      ? resetWebhookFailures(sql, delivery.recipient)
      : countWebhookFailure(sql, delivery.recipient, settlement.gone);
  if (delivery.kind !== 'incident_update' && delivery.kind !== 'maintenance_update') return;
  if (settlement.state === 'failed') return countFailure(sql, delivery.recipient, settlement.gone, nowMs);
  if ((context.subscribers.get(delivery.recipient)?.failures ?? 0) > 0) await resetFailures(sql, delivery.recipient);
}

async function deliverUpdate(
  { keyring, outbound, mailer, render, baseUrl }: DeliveryServices,
  delivery: Delivery,
  context: DeliveryContext,
  nowMs: number,
): Promise<Outcome> {
  const subscriber = context.subscribers.get(delivery.recipient);
  if (subscriber === undefined) return cancelled('the subscriber was deleted');
  if (subscriber.state !== 'active') return cancelled(`the subscriber is ${subscriber.state}`);
  const told = toldOf(delivery, subscriber, context, { baseUrl, render });
  if (told === null)
    return cancelled(`the ${delivery.kind === 'incident_update' ? 'incident' : 'maintenance'} was deleted`);
  const address = openAddress(subscriber, keyring);
  if (delivery.channel === 'email') {
    if (mailer === null) return emailHeld;
    const token = openToken(subscriber, keyring);
    const email = context.emails.get(told.key) ?? told.email();
    context.emails.set(told.key, email);
    return mailer.send(email({ to: address, token, deliveryId: delivery.id }));
  }
  const secrets = [openSecret(subscriber, keyring) ?? ''];
  return sendWebhook(outbound, { id: delivery.id, url: address, secrets, body: JSON.stringify(told.payload()), nowMs });
}

type Told = { key: string; email(): UpdateEmail; payload(): unknown };

/** What a subscriber is told; null if it was deleted meanwhile. */
function toldOf(
  { kind, subject }: Delivery,
  subscriber: SubscriberRow,
  context: DeliveryContext,
  { baseUrl, render }: Pick<DeliveryServices, 'baseUrl' | 'render'>,
): Told | null {
  if (kind === 'incident_update') {
    const notice = context.notices.get(subject);
    if (notice === undefined) return null;
    return {
      key: subject,
      email: () => updateEmail(notice, baseUrl, render),
      payload: () => noticePayload(notice, baseUrl),
    };
  }
  const key = noticeKey(subject, subscriber.status_page_id);
  const notice = context.maintenances.get(key);
  if (notice === undefined) return null;
  return {
    key,
    email: () => maintenanceEmail(notice, baseUrl, render),
    payload: () => maintenancePayload(notice, baseUrl),
  };
}

async function sendConfirmation(
  { sql, keyring, mailer, baseUrl }: DeliveryServices,
  delivery: Delivery,
  context: DeliveryContext,
): Promise<Outcome> {
  const subscriber = context.subscribers.get(delivery.recipient);
  if (subscriber?.state !== 'pending') return cancelled('the subscriber has already confirmed');
  const page = await findPage(sql, delivery.project_id, subscriber.status_page_id);
  if (page === null) return cancelled('the status page was deleted');
  if (mailer === null) return emailHeld;
  const [to, token] = [openAddress(subscriber, keyring), openToken(subscriber, keyring)];
  return mailer.send(confirmationEmail(page, baseUrl, { to, token, deliveryId: delivery.id }));
}

async function deliverToProject(
  { sql, keyring, outbound }: DeliveryServices,
  delivery: Delivery,
  nowMs: number,
): Promise<Outcome> {
  const webhook = await findWebhook(sql, delivery.project_id, delivery.recipient);
  if (webhook === null) return cancelled('the webhook was deleted');
  if (!webhook.enabled) return cancelled('the webhook is disabled');
  const [url, secrets] = [openUrl(webhook, keyring), openWebhookSecrets(webhook, keyring, nowMs)];
  return sendWebhook(outbound, { id: delivery.id, url, secrets, body: JSON.stringify(delivery.payload), nowMs });
}

/** An alert's first message starts a thread; the later ones reply in it. */
async function deliverToSlack(
  { sql, keyring, outbound, baseUrl, slackApiUrl }: DeliveryServices,
  delivery: Delivery,
  nowMs: number,
): Promise<Outcome> {
  const token = await readSlackToken(sql, keyring, delivery.project_id);
  if (token === null) return { type: 'held', error: 'Slack is not connected' };
  const notice = delivery.payload as SlackNotice;
  if (notice.step === 'escalated') {
    // It may be late, after Slack was away.
    const state = (await findAlert(sql, delivery.project_id, notice.alert.id))?.state ?? 'deleted';
    if (state !== 'open') return cancelled(`the alert is ${state}`);
  }
  const thread = await findThread(sql, notice.alert.id, delivery.recipient);
  const message = slackMessage(notice, baseUrl);
  const target = { channel: thread?.channel_id ?? delivery.recipient, threadTs: thread?.ts ?? null };
  const { outcome, posted } = await sendSlack(outbound, { apiUrl: slackApiUrl, token, message, ...target }, nowMs);
  const alert = { id: notice.alert.id, projectId: delivery.project_id };
  if (posted !== null && thread === null) await saveThread(sql, alert, delivery.recipient, posted);
  return outcome;
}

const emailHeld: Outcome = { type: 'held', error: emailNotConfigured };

function cancelled(error: string): Outcome {
  return { type: 'cancelled', error };
}
