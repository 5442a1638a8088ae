import { instant, type Sql } from '../../platform/db/sql.ts';
import { storedName } from './delivery.ts';
import { rowId } from './fan-out-store.ts';
import { queueAdded } from './queue-store.ts';

/** One message to several channels about a group of alerts, or about something else with an order of its own. */
export type ChannelDeliveries = {
  projectId: string;
  kind: 'alert_channel' | 'digest' | 'notice';
  key: string;
  thread: string;
  sequence: number;
  alertId: string | null;
  groupId: string | null;
  routeId: string | null;
  step: string;
  /** Stored as JSON. */
  notice: object;
  recipients: readonly { channel_id: string; channel_type: string; recipient: string }[];
};

/** Queues a delivery for each recipient. Idempotent. Returns the number added. */
export function queueForChannels(
  sql: Sql,
  queued: ChannelDeliveries,
  { nowMs, dueMs }: { nowMs: number; dueMs: number },
): Promise<number> {
  const { recipients } = queued;
  return sql.run`
    with added as (
      insert into deliveries (
        id, project_id, kind, channel, subject, recipient, incident_id, thread, sequence, payload, state, due_at,
        created_at, alert_id, group_id, channel_id, channel_type, route_id, step
      )
      select
        ${rowId(nowMs)}, ${queued.projectId}, ${storedName(queued.kind)}, 'operator',
        ${`${queued.thread} ${queued.key}`}, r.recipient, null, ${queued.thread}, ${queued.sequence},
        ${JSON.stringify(queued.notice)}::jsonb, 'queued', ${instant(dueMs)}, ${instant(nowMs)}, ${queued.alertId},
        ${queued.groupId}, r.channel_id, r.channel_type, ${queued.routeId}, ${queued.step}
      from unnest(
        ${recipients.map(({ channel_id }) => channel_id)}::text[],
        ${recipients.map(({ channel_type }) => channel_type)}::text[],
        ${recipients.map(({ recipient }) => recipient)}::text[]
      ) as r (channel_id, channel_type, recipient)
      on conflict (subject, channel, recipient) do nothing
      returning channel, project_id, recipient, due_at
    )
    ${queueAdded}`;
}

/** Puts what was just queued on hold. */
export async function putNoticeOnHold(
  sql: Sql,
  { projectId, thread, key }: { projectId: string; thread: string; key: string },
  reason: string,
  nowMs: number,
): Promise<void> {
  await sql.run`
    update deliveries
    set state = 'held', error = ${reason}, ended_at = ${instant(nowMs)}
    where project_id = ${projectId}
      and group_id = ${thread}
      and subject = ${`${thread} ${key}`}
      and state = 'queued'`;
}

/** How far the messages of a group to a channel have come. */
export type QueuedOfChannel = { channel_id: string; waiting: number; begun: number };

/**
 * Cancels the messages about a group that wait for their first attempt in these channels. Says for each channel how
 * many that were, and how many were sent or tried: the service may have got them.
 */
export function cancelUnsent(
  sql: Sql,
  { projectId, groupId }: { projectId: string; groupId: string },
  channelIds: readonly string[],
  reason: string,
  nowMs: number,
): Promise<QueuedOfChannel[]> {
  return sql.rows<QueuedOfChannel>`
    with cancelled as (
      update deliveries
      set state = 'cancelled', error = ${reason}, ended_at = ${instant(nowMs)}
      where project_id = ${projectId}
        and group_id = ${groupId}
        and channel_id = any(${channelIds}::text[])
        and state = 'queued'
        and attempts = 0
      returning id, channel_id
    )
    select
      d.channel_id,
      count(*) filter (where d.id in (select id from cancelled)) as waiting,
      count(*) filter (where d.attempts > 0 and d.state <> 'cancelled') as begun
    from deliveries d
    where d.project_id = ${projectId}
      and d.group_id = ${groupId}
      and d.channel_id = any(${channelIds}::text[])
    group by d.channel_id`;
}

/** Whether a step of a route reached nobody: each of its deliveries failed for good, or three times. */
export async function hasStepFailed(
  sql: Sql,
  { groupId, routeId, key }: { groupId: string; routeId: string; key: string },
  attemptsMax: number,
): Promise<boolean> {
  const row = await sql.row<{ failed: boolean }>`
    select coalesce(
      bool_and(state = 'failed' or (state = 'queued' and attempts >= ${attemptsMax} and error is not null)),
      false
    ) as failed
    from deliveries
    where group_id = ${groupId}
      and route_id = ${routeId}
      and subject = ${`${groupId} ${key}`}`;
  return row?.failed === true;
}
