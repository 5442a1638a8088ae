import { rowId } from '../../delivery/notifications/fan-out-store.ts';
import { queueAdded } from '../../delivery/notifications/queue-store.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';
import type { ChannelNotice } from './notice.ts';

/** A notice for channels. `key` tells it from the others of its thread: it is queued once for each channel. */
export type NoticeToQueue = {
  projectId: string;
  kind: 'operator' | 'digest' | 'notice';
  key: string;
  /** What a channel hears of in order: a group, or another id. */
  thread: string;
  sequence: number;
  channelIds: readonly string[];
  alertId: string | null;
  routeId: string | null;
  notice: ChannelNotice;
};

/**
 * Queues a notice for those of the channels that are enabled, for each confirmed or unconfirmed address of an email
 * channel by itself. Idempotent. Returns the number added.
 */
export async function queueNotice(sql: Sql, queued: NoticeToQueue, nowMs: number, dueMs = nowMs): Promise<number> {
  const { notice } = queued;
  return sql.run`
    with added as (
      insert into deliveries (
        id, project_id, kind, channel, subject, recipient, incident_id, thread, sequence, payload, state, due_at,
        created_at, alert_id, group_id, channel_id, channel_type, route_id, step
      )
      select
        ${rowId(nowMs)}, c.project_id, ${queued.kind}, 'operator', ${`${queued.thread} ${queued.key}`},
        concat_ws(' ', c.id, address_id), null, ${queued.thread}, ${queued.sequence}, ${JSON.stringify(notice)}::jsonb,
        'queued', ${instant(dueMs)}, ${instant(nowMs)}, ${queued.alertId}, ${notice.group?.id ?? null}, c.id, c.type,
        ${queued.routeId}, ${notice.step}
      from channels c
      left join unnest(c.address_ids) as address_id on true
      where c.project_id = ${queued.projectId}
        and c.id = any(${queued.channelIds}::text[])
        and c.enabled
      order by c.id, address_id
      on conflict (subject, channel, recipient) do nothing
      returning channel, project_id, recipient, due_at
    )
    ${queueAdded}`;
}

/** Holds what was just queued. */
export async function holdNotice(
  sql: Sql,
  { projectId, thread, key }: Pick<NoticeToQueue, 'projectId' | 'thread' | 'key'>,
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
