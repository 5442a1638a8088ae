import type { Sql } from '../db/sql.ts';
import type { Outbound } from '../http/outbound.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { findPage } from '../status-pages/store.ts';
import {
  countFailure,
  findSubscribers,
  forgetFailures,
  openAddress,
  openSecret,
  openToken,
  type SubscriberRow,
} from '../subscribers/store.ts';
import type { Delivery, Outcome, Settlement } from './delivery.ts';
import { confirmationMail, updateMail } from './mail-message.ts';
import { publicNews } from './news.ts';
import { type News, readNews } from './news-store.ts';
import type { Mailer } from './send-mail.ts';
import { sendSlack } from './send-slack.ts';
import { sendWebhook } from './send-webhook.ts';
import { type SlackNews, slackMessage } from './slack-message.ts';
import { findThread, keepThread, readSlackToken } from './slack-store.ts';
import {
  countWebhookFailure,
  findWebhook,
  forgetWebhookFailures,
  openUrl,
  openWebhookSecret,
} from './webhook-store.ts';

export type DeliveryServices = {
  sql: Sql;
  keyring: Keyring;
  outbound: Outbound;
  /** Null without an SMTP server: mails are held. */
  mailer: Mailer | null;
  baseUrl: string;
  slackApiUrl: string;
};

/** What several deliveries of one claim need alike. */
export type Material = { subscribers: Map<string, SubscriberRow>; news: Map<string, News> };

export async function gatherMaterial(sql: Sql, deliveries: readonly Delivery[]): Promise<Material> {
  const toSubscribers = deliveries.filter(one => one.kind === 'incident_update' || one.kind === 'confirmation');
  const updates = toSubscribers.filter(one => one.kind === 'incident_update').map(one => one.subject);
  const [subscribers, news] = await Promise.all([
    toSubscribers.length === 0 ? [] : findSubscribers(sql, [...new Set(toSubscribers.map(one => one.recipient))]),
    readNews(sql, [...new Set(updates)]),
  ]);
  return { subscribers: new Map(subscribers.map(row => [row.id, row])), news };
}

/** Makes one attempt. What cannot be told any more is cancelled. */
export async function attempt(
  services: DeliveryServices,
  delivery: Delivery,
  material: Material,
  nowMs: number,
): Promise<Outcome> {
  switch (delivery.kind) {
    case 'incident_update':
      return tellUpdate(services, delivery, material, nowMs);
    case 'confirmation':
      return askToConfirm(services, delivery, material);
    case 'webhook':
      return tellProject(services, delivery, nowMs);
    case 'alert':
      return tellSlack(services, delivery, nowMs);
    default:
      return delivery.kind satisfies never;
  }
}

/** What the end of a delivery means for its recipient. */
export async function keepScore(
  { sql }: DeliveryServices,
  delivery: Delivery,
  settlement: Settlement,
  material: Material,
  nowMs: number,
): Promise<void> {
  const ended = settlement.state === 'sent' || settlement.state === 'failed';
  if (!ended || (settlement.state === 'failed' && !settlement.blame)) return;
  if (delivery.kind === 'webhook')
    return settlement.state === 'sent'
      ? forgetWebhookFailures(sql, delivery.recipient)
      : countWebhookFailure(sql, delivery.recipient, settlement.gone);
  if (delivery.kind !== 'incident_update') return;
  if (settlement.state === 'failed') return countFailure(sql, delivery.recipient, settlement.gone, nowMs);
  if ((material.subscribers.get(delivery.recipient)?.failures ?? 0) > 0) await forgetFailures(sql, delivery.recipient);
}

async function tellUpdate(
  { keyring, outbound, mailer, baseUrl }: DeliveryServices,
  delivery: Delivery,
  material: Material,
  nowMs: number,
): Promise<Outcome> {
  const subscriber = material.subscribers.get(delivery.recipient);
  const news = material.news.get(delivery.subject);
  if (subscriber === undefined) return cancelled('the subscriber was deleted');
  if (subscriber.state !== 'active') return cancelled(`the subscriber is ${subscriber.state}`);
  if (news === undefined) return cancelled('the incident was deleted');
  const address = openAddress(subscriber, keyring);
  if (delivery.channel === 'email') {
    if (mailer === null) return noMailer;
    const letterhead = { baseUrl, to: address, token: openToken(subscriber, keyring), deliveryId: delivery.id };
    return mailer.send(updateMail(news, letterhead));
  }
  const secret = openSecret(subscriber, keyring) ?? '';
  const body = JSON.stringify(publicNews(news, baseUrl));
  return sendWebhook(outbound, { id: delivery.id, url: address, secret, body, nowMs });
}

async function askToConfirm(
  { sql, keyring, mailer, baseUrl }: DeliveryServices,
  delivery: Delivery,
  material: Material,
): Promise<Outcome> {
  const subscriber = material.subscribers.get(delivery.recipient);
  if (subscriber?.state !== 'pending') return cancelled('nobody waits for it any more');
  const page = await findPage(sql, delivery.project_id, subscriber.status_page_id);
  if (page === null) return cancelled('the status page was deleted');
  if (mailer === null) return noMailer;
  const [to, token] = [openAddress(subscriber, keyring), openToken(subscriber, keyring)];
  return mailer.send(confirmationMail(page, { baseUrl, to, token, deliveryId: delivery.id }));
}

async function tellProject(
  { sql, keyring, outbound }: DeliveryServices,
  delivery: Delivery,
  nowMs: number,
): Promise<Outcome> {
  const webhook = await findWebhook(sql, delivery.project_id, delivery.recipient);
  if (webhook === null) return cancelled('the webhook was deleted');
  if (!webhook.enabled) return cancelled('the webhook is switched off');
  const [url, secret] = [openUrl(webhook, keyring), openWebhookSecret(webhook, keyring)];
  return sendWebhook(outbound, { id: delivery.id, url, secret, body: JSON.stringify(delivery.payload), nowMs });
}

/** The first message of an alert begins a thread, in which the others answer. */
async function tellSlack(
  { sql, keyring, outbound, baseUrl, slackApiUrl }: DeliveryServices,
  delivery: Delivery,
  nowMs: number,
): Promise<Outcome> {
  const token = await readSlackToken(sql, keyring, delivery.project_id);
  if (token === null) return { type: 'held', error: 'Slack is not connected' };
  const news = delivery.payload as SlackNews;
  const thread = await findThread(sql, news.alert.id, delivery.recipient);
  const message = slackMessage(news, baseUrl);
  const place = { channel: thread?.channel_id ?? delivery.recipient, threadTs: thread?.ts ?? null };
  const { outcome, posted } = await sendSlack(outbound, { apiUrl: slackApiUrl, token, message, ...place }, nowMs);
  const alert = { id: news.alert.id, projectId: delivery.project_id };
  if (posted !== null && thread === null) await keepThread(sql, alert, delivery.recipient, posted);
  return outcome;
}

/** Why mails are held where no server is set. */
export const noMailServer = 'no mail server: SMTP_URL is not set';
const noMailer: Outcome = { type: 'held', error: noMailServer };

function cancelled(error: string): Outcome {
  return { type: 'cancelled', error };
}
