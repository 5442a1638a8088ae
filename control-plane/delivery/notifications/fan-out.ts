import { toTimestamp } from '#shared/clock.ts';
import type { AlertView } from '../../monitoring/alerts/alert.ts';
import { findAlert, findPolicy, viewAlert } from '../../monitoring/alerts/store.ts';
import { findMaintenance } from '../../monitoring/maintenances/store.ts';
import { wasNotified } from '../../monitoring/maintenances/suppression-store.ts';
import { viewMaintenance } from '../../monitoring/maintenances/view.ts';
import { viewNotice } from '../../monitoring/notices/notice.ts';
import { findNotice } from '../../monitoring/notices/store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { StoredFact } from '../../platform/facts/fact.ts';
import { listEarlierUndone } from '../../platform/facts/store.ts';
import { findIncident, viewIncident } from '../../publishing/incidents/store.ts';
import { cancelOfIncident } from './cancel-store.ts';
import { type FanOutPlan, fanOutPlans } from './fan-out-plan.ts';
import {
  insertDelivery,
  insertUpdateDeliveries,
  insertWebhookDeliveries,
  isWebhookKindWanted,
  putDeliveriesOnHold,
} from './fan-out-store.ts';
import { insertMaintenanceDeliveries } from './maintenance-fan-out-store.ts';
import type { SlackNotice, SlackStep } from './slack/message.ts';

export const restoredReason = 'pending when the backup was taken: it may have been sent since';

/**
 * Queues the deliveries of a fact, in the transaction that marks the fact done. Facts of the same incident or alert
 * that another replica is still processing are queued first, so that nothing later is sent before them. Idempotent.
 */
export async function fanOutFact(sql: Sql, fact: StoredFact, baseUrl: string, nowMs: number): Promise<void> {
  const plan = fanOutPlans[fact.kind];
  if (plan === null) return;
  for (const earlier of await listEarlierUndone(sql, fact.id, plan.thread(fact)))
    await queueDeliveries(sql, earlier, baseUrl, nowMs);
  await queueDeliveries(sql, fact, baseUrl, nowMs);
}

/** Queues the email that asks a subscriber to confirm. Each call makes a delivery of its own. */
export function queueConfirmation(
  sql: Sql,
  subscriber: { id: string; projectId: string },
  nowMs: number,
): Promise<void> {
  const { id, projectId } = subscriber;
  const subject = `confirmation ${toTimestamp(nowMs)}`;
  const delivery = { kind: 'confirmation', channel: 'email', thread: null, sequence: 0, payload: {} } as const;
  return insertDelivery(sql, { ...delivery, projectId, subject, recipient: id }, nowMs, nowMs);
}

async function queueDeliveries(sql: Sql, fact: StoredFact, baseUrl: string, nowMs: number): Promise<void> {
  const plan = fanOutPlans[fact.kind];
  if (plan === null || (await isSuppressed(sql, fact))) return;
  for (const action of plan.actions)
    switch (action.type) {
      case 'notifySubscribers':
        await insertUpdateDeliveries(sql, { id: fact.subject, sequence: fact.id, createdAt: fact.at }, nowMs);
        break;
      case 'notifyOfMaintenance':
        await insertMaintenanceDeliveries(sql, { id: fact.subject, sequence: fact.id, createdAt: fact.at }, nowMs);
        break;
      case 'notifySlack':
        if (action.step === 'reopened' && !isReopening(fact)) break;
        await queueSlack(sql, fact, action.step, nowMs);
        break;
      case 'notifyWebhooks':
        await queueWebhooks(sql, fact, plan, baseUrl, nowMs);
        break;
      case 'cancelDeliveries':
        await cancelOfIncident(sql, fact.subject, 'the incident was deleted', nowMs);
        break;
      default:
        action satisfies never;
    }
  if (isRestored(fact)) await putDeliveriesOnHold(sql, fact, restoredReason, nowMs);
}

/** An alert that was suppressed, and that nobody was notified of: nobody is notified of how it goes on. */
async function isSuppressed(sql: Sql, { kind, subject }: StoredFact): Promise<boolean> {
  return (
    kind.startsWith('alert.') && kind !== 'alert.opened' && kind !== 'alert.held' && !(await wasNotified(sql, subject))
  );
}

function isReopening(fact: StoredFact): boolean {
  return fact.kind === 'alert.updated' && fact.payload.change === 'reopened';
}

/** Facts that were pending when a backup was taken are marked by its restore: the original may have sent them. */
function isRestored({ payload }: StoredFact): boolean {
  return 'restored' in payload;
}

async function queueSlack(sql: Sql, fact: StoredFact, step: SlackStep, nowMs: number): Promise<void> {
  if (fact.projectId === null || !('monitor_id' in fact.payload)) return;
  const channel = (await findPolicy(sql, fact.payload.monitor_id))?.slack_channel ?? null;
  if (channel === null) return;
  const alert = await findAlert(sql, fact.projectId, fact.subject);
  if (alert === null) return;
  const payload: SlackNotice = { step, alert: viewAlert(alert) };
  // An alert that opened again is announced again.
  const isRepeated = step === 'reopened' || (fact.kind === 'alert.resolved' && fact.payload.again === true);
  const subject = isRepeated ? `${fact.subject} ${step} ${fact.id}` : `${fact.subject} ${step}`;
  const delivery = { kind: 'alert', channel: 'slack', thread: fact.subject, sequence: fact.id } as const;
  const recipient = { projectId: fact.projectId, recipient: channel };
  await insertDelivery(sql, { ...delivery, ...recipient, subject, payload }, fact.at, nowMs);
}

async function queueWebhooks(
  sql: Sql,
  fact: StoredFact,
  plan: FanOutPlan,
  baseUrl: string,
  nowMs: number,
): Promise<void> {
  const { id, kind, projectId, subject } = fact;
  if (projectId === null || !(await isWebhookKindWanted(sql, projectId, kind))) return;
  const thread = plan.thread(fact);
  const data = await payloadData(sql, { about: plan.about, thread, subject, projectId, at: fact.at }, baseUrl);
  if (data === null) return;
  const notice = {
    projectId,
    kind,
    alertKind: data.alert?.kind ?? null,
    subject: `${kind} ${subject} ${id}`,
    thread,
    incidentId: plan.about === 'incident' ? thread : null,
    maintenanceId: plan.about === 'maintenance' ? thread : null,
    sequence: id,
    payload: { type: kind, timestamp: toTimestamp(fact.at), data },
  };
  await insertWebhookDeliveries(sql, notice, fact.at, nowMs);
}

/** The current state of the subject, of an incident with the update if it is one; null when it was deleted. */
async function payloadData(
  sql: Sql,
  fact: { about: FanOutPlan['about']; thread: string; subject: string; projectId: string; at: number },
  baseUrl: string,
): Promise<({ alert?: AlertView } & Record<string, unknown>) | null> {
  if (fact.about === 'alert') {
    const alert = await findAlert(sql, fact.projectId, fact.thread);
    return alert === null ? null : { alert: viewAlert(alert) };
  }
  if (fact.about === 'notice') {
    const notice = await findNotice(sql, fact.projectId, fact.thread);
    return notice === null ? null : { notice: viewNotice(notice) };
  }
  if (fact.about === 'maintenance') {
    const maintenance = await findMaintenance(sql, fact.projectId, fact.thread, fact.at);
    return maintenance === null ? null : { maintenance: viewMaintenance(maintenance) };
  }
  const incident = await findIncident(sql, fact.projectId, fact.thread);
  if (incident === null) return null;
  const { updates, ...rest } = viewIncident(incident, baseUrl);
  return { incident: rest, update: updates.find(update => update.id === fact.subject) ?? null };
}
