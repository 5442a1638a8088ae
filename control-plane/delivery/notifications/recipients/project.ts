import { findAlert } from '../../../monitoring/alerts/store.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Outbound } from '../../../platform/http/outbound.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { cancelled, type Outcome, onHold } from '../../transports/outcome.ts';
import { slackBot } from '../../transports/slack/bot.ts';
import { readSlackToken } from '../../transports/slack/installation-store.ts';
import { webhookTransport } from '../../transports/webhook/webhook.ts';
import type { Delivery } from '../delivery.ts';
import { type SlackNotice, slackMessage } from '../slack/message.ts';
import { findThread, saveThread } from '../slack/thread-store.ts';
import {
  countWebhookFailure,
  findWebhook,
  openUrl,
  openWebhookSecrets,
  resetWebhookFailures,
} from '../webhooks/store.ts';
import { isVerdict, type Recipient } from './recipient.ts';

export type ProjectServices = { sql: Sql; keyring: Keyring; outbound: Outbound; baseUrl: string; slackApiUrl: string };

/** A project's own webhooks, and the Slack channels of its monitors: at once, without routes. */
export function projectRecipient(services: ProjectServices): Recipient {
  const { sql } = services;
  return {
    attempt: (delivery, nowMs) => {
      switch (delivery.kind) {
        case 'webhook':
          return sendWebhook(services, delivery, nowMs);
        case 'alert':
          return sendSlack(services, delivery, nowMs);
        default:
          return Promise.resolve(cancelled('this version does not support this kind of delivery'));
      }
    },
    settled: async ({ kind, recipient }, settlement) => {
      if (kind !== 'webhook' || !isVerdict(settlement)) return;
      if (settlement.state === 'sent') await resetWebhookFailures(sql, recipient);
      else await countWebhookFailure(sql, recipient, settlement.gone);
    },
  };
}

async function sendWebhook(
  { sql, keyring, outbound }: ProjectServices,
  { id, project_id, recipient, payload }: Delivery,
  nowMs: number,
): Promise<Outcome> {
  const row = await findWebhook(sql, project_id, recipient);
  if (row === null) return cancelled('the webhook was deleted');
  if (!row.enabled) return cancelled('the webhook is disabled');
  const target = { url: openUrl(row, keyring), secrets: openWebhookSecrets(row, keyring, nowMs), nowMs, outbound };
  return (await webhookTransport.send({ id, body: JSON.stringify(payload) }, target)).outcome;
}

/** An alert's first message starts a thread; the later ones reply in it. */
async function sendSlack(
  { sql, keyring, outbound, baseUrl, slackApiUrl: apiUrl }: ProjectServices,
  { project_id, recipient: channel, payload }: Delivery,
  nowMs: number,
): Promise<Outcome> {
  const token = await readSlackToken(sql, keyring, project_id);
  if (token === null) return onHold('Slack is not connected');
  const notice = payload as SlackNotice;
  if (notice.step === 'escalated') {
    // It may be late, after Slack was away.
    const state = (await findAlert(sql, project_id, notice.alert.id))?.state ?? 'deleted';
    if (state !== 'open') return cancelled(`the alert is ${state}`);
  }
  const thread = await findThread(sql, notice.alert.id, channel);
  const sent = await slackBot.send(slackMessage(notice, baseUrl), { apiUrl, token, channel, thread, outbound, nowMs });
  const alert = { id: notice.alert.id, projectId: project_id };
  if (sent.thread !== null && thread === null) await saveThread(sql, alert, channel, sent.thread);
  return sent.outcome;
}
