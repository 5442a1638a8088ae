import { queueForChannels } from '../../delivery/notifications/group-store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { ChannelNotice } from './notice.ts';

/** A notice for channels. `key` tells it from the others of its thread: it is queued once for each channel. */
export type NoticeToQueue = {
  projectId: string;
  kind: 'alert_channel' | 'digest' | 'notice';
  key: string;
  /** What a channel is notified of in order: a group, or another id. */
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
  const recipients = await sql.rows<{ channel_id: string; channel_type: string; recipient: string }>`
    select c.id as channel_id, c.type as channel_type, concat_ws(' ', c.id, address_id) as recipient
    from channels c
    left join unnest(c.address_ids) as address_id on true
    where c.project_id = ${queued.projectId}
      and c.id = any(${queued.channelIds}::text[])
      and c.enabled
    order by c.id, address_id`;
  if (recipients.length === 0) return 0;
  const { group, step } = queued.notice;
  return queueForChannels(sql, { ...queued, groupId: group?.id ?? null, step, recipients }, { nowMs, dueMs });
}
