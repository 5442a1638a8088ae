import { toTimestamp } from '#shared/clock.ts';
import type { WebhookKind } from '#shared/webhook-kinds.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { insertWebhookDeliveries, isWebhookKindWanted } from '../fan-out-store.ts';

/** Something that happens once, and that nothing before or after it is about. */
export type WebhookEvent = { projectId: string; kind: WebhookKind; subject: string; data: unknown };

/** Queues it for the project's webhooks that want its kind, in the transaction in which it happens. */
export async function queueWebhookEvent(
  sql: Sql,
  { projectId, kind, subject, data }: WebhookEvent,
  nowMs: number,
): Promise<void> {
  if (!(await isWebhookKindWanted(sql, projectId, kind))) return;
  const payload = { type: kind, timestamp: toTimestamp(nowMs), data };
  const notice = { projectId, kind, alertKind: null, subject: `${kind} ${subject}`, thread: subject, payload };
  await insertWebhookDeliveries(sql, { ...notice, incidentId: null, maintenanceId: null, sequence: 0 }, nowMs, nowMs);
}
