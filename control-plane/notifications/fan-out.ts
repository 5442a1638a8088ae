import { toTimestamp } from '#shared/clock.ts';
import { findAlert, findPolicy, viewAlert } from '../alerts/store.ts';
import type { Sql } from '../db/sql.ts';
import type { StoredFact } from '../facts/fact.ts';
import { listEarlierUndone } from '../facts/store.ts';
import { findIncident, viewIncident } from '../incidents/store.ts';
import { queueDelivery, queueUpdate, queueWebhooks, wantsWebhook } from './fan-out-store.ts';
import { type SlackNews, type SlackStep, slackSteps } from './slack-message.ts';
import { cancelOfIncident } from './store.ts';
import { isWebhookKind } from './webhook.ts';

/**
 * Queues a delivery for everybody who is to hear of the fact, in the transaction that marks it followed. Earlier facts of the
 * same incident or alert that another replica is still at are queued first, so that nothing later can be sent before them.
 */
export async function followForNotifications(
  sql: Sql,
  fact: StoredFact,
  baseUrl: string,
  nowMs: number,
): Promise<void> {
  const thread = threadOf(fact);
  if (thread === null) return;
  for (const earlier of await listEarlierUndone(sql, fact.id, thread)) await fanOut(sql, earlier, baseUrl, nowMs);
  await fanOut(sql, fact, baseUrl, nowMs);
}

/** Asks a subscriber to confirm; each time is a delivery of its own. */
export function queueConfirmation(
  sql: Sql,
  subscriber: { id: string; projectId: string },
  nowMs: number,
): Promise<void> {
  const { id, projectId } = subscriber;
  const subject = `confirmation ${toTimestamp(nowMs)}`;
  const place = { kind: 'confirmation', channel: 'email', thread: null, sequence: 0, payload: {} } as const;
  return queueDelivery(sql, { ...place, projectId, subject, recipient: id }, nowMs, nowMs);
}

/** The incident or alert a fact tells of; null when nobody is notified of such facts. */
function threadOf(fact: StoredFact): string | null {
  if (fact.kind === 'incident.updated') return fact.payload.incident_id;
  return isWebhookKind(fact.kind) || fact.kind === 'incident.deleted' ? fact.subject : null;
}

async function fanOut(sql: Sql, fact: StoredFact, baseUrl: string, nowMs: number): Promise<void> {
  switch (fact.kind) {
    case 'incident.updated':
      await queueUpdate(sql, fact.subject, fact.id, fact.at, nowMs);
      return tellWebhooks(sql, fact, baseUrl, nowMs);
    case 'incident.opened':
    case 'incident.resolved':
      return tellWebhooks(sql, fact, baseUrl, nowMs);
    case 'incident.deleted':
      return cancelOfIncident(sql, fact.subject, 'the incident was deleted', nowMs);
    case 'alert.opened':
    case 'alert.escalated':
    case 'alert.resolved':
      await tellSlack(sql, fact, nowMs);
      return tellWebhooks(sql, fact, baseUrl, nowMs);
    case 'alert.acknowledged':
      return tellWebhooks(sql, fact, baseUrl, nowMs);
    default:
      return;
  }
}

async function tellSlack(
  sql: Sql,
  fact: StoredFact & { payload: { monitor_id: string }; projectId: string },
  nowMs: number,
): Promise<void> {
  const step = slackSteps.find((candidate): candidate is SlackStep => fact.kind === `alert.${candidate}`);
  const channel = (await findPolicy(sql, fact.payload.monitor_id))?.policy.slack_channel ?? null;
  if (step === undefined || channel === null) return;
  const alert = await findAlert(sql, fact.projectId, fact.subject);
  if (alert === null) return;
  const payload: SlackNews = { step, alert: viewAlert(alert) };
  const place = { kind: 'alert', channel: 'slack', thread: fact.subject, sequence: fact.id } as const;
  const subject = `${fact.subject} ${step}`;
  await queueDelivery(
    sql,
    { ...place, projectId: fact.projectId, subject, recipient: channel, payload },
    fact.at,
    nowMs,
  );
}

async function tellWebhooks(sql: Sql, fact: StoredFact, baseUrl: string, nowMs: number): Promise<void> {
  if (fact.projectId === null || !(await wantsWebhook(sql, fact.projectId, fact.kind))) return;
  const data = await dataOf(sql, fact, fact.projectId, baseUrl);
  if (data === null) return;
  const thread = threadOf(fact) ?? fact.subject;
  const news = {
    projectId: fact.projectId,
    kind: fact.kind,
    subject: `${fact.kind} ${fact.subject} ${fact.id}`,
    thread,
    incidentId: fact.kind.startsWith('incident.') ? thread : null,
    sequence: fact.id,
    payload: { type: fact.kind, timestamp: toTimestamp(fact.at), data },
  };
  await queueWebhooks(sql, news, fact.at, nowMs);
}

/** What a webhook is told beside the kind; null when the alert or incident is gone. */
async function dataOf(sql: Sql, fact: StoredFact, projectId: string, baseUrl: string): Promise<unknown> {
  if (fact.kind.startsWith('alert.')) {
    const alert = await findAlert(sql, projectId, fact.subject);
    return alert === null ? null : { alert: viewAlert(alert) };
  }
  const incident = await findIncident(sql, projectId, threadOf(fact) ?? '');
  if (incident === null) return null;
  const { updates, ...rest } = viewIncident(incident, baseUrl);
  return { incident: rest, update: updates.find(update => update.id === fact.subject) ?? null };
}
