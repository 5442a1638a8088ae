import { instant, type Sql } from '../../platform/db/sql.ts';

/** Cancels what is queued for a recipient. */
export async function cancelOfRecipient(sql: Sql, recipient: string, error: string, nowMs: number): Promise<void> {
  await sql.run`
    update deliveries
    set state = 'cancelled', error = ${error}, ended_at = ${instant(nowMs)}
    where recipient = ${recipient}
      and state = 'queued'`;
}

/** Cancels what is queued or on hold for a channel of alerts. */
export async function cancelOfChannel(
  sql: Sql,
  projectId: string,
  channelId: string,
  error: string,
  nowMs: number,
): Promise<void> {
  await sql.run`
    update deliveries
    set state = 'cancelled', error = ${error}, ended_at = ${instant(nowMs)}
    where project_id = ${projectId}
      and channel_id = ${channelId}
      and state in ('queued', 'held')`;
}

/** Cancels what is queued or on hold for an incident. */
export async function cancelOfIncident(sql: Sql, incidentId: string, error: string, nowMs: number): Promise<void> {
  await sql.run`
    update deliveries
    set state = 'cancelled', error = ${error}, ended_at = ${instant(nowMs)}
    where incident_id = ${incidentId}
      and state in ('queued', 'held')`;
}
