import { instant, type Sql } from '../../../platform/db/sql.ts';
import type { SlackThread } from '../../transports/slack/bot.ts';

/** An alert's first message in a channel, which later ones reply to; null if it has none yet. */
export async function findThread(sql: Sql, alertId: string, channel: string): Promise<SlackThread | null> {
  return sql.row<SlackThread>`
    select channel_id, ts
    from slack_threads
    where alert_id = ${alertId}
      and channel = ${channel}`;
}

/** Stores an alert's thread unless it has one in the channel. */
export async function saveThread(
  sql: Sql,
  alert: { id: string; projectId: string },
  channel: string,
  thread: SlackThread,
): Promise<void> {
  await sql.run`
    insert into slack_threads (alert_id, channel, project_id, channel_id, ts)
    values (${alert.id}, ${channel}, ${alert.projectId}, ${thread.channel_id}, ${thread.ts})
    on conflict (alert_id, channel) do nothing`;
}

/** Deletes where messages of alerts were sent first, before the instant: what follows is a message of its own. */
export async function deleteSlackThreadsBefore(sql: Sql, beforeMs: number): Promise<void> {
  await sql.run`delete from slack_threads where created_at < ${instant(beforeMs)}`;
}
