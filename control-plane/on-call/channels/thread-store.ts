import type { Thread } from '../../delivery/transports/transport.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';

/** Null when the group has no message in the channel that a later one could reply to. */
export async function findThread(sql: Sql, channelId: string, groupId: string): Promise<Thread | null> {
  const row = await sql.row<{ thread: Thread }>`
    select thread
    from channel_threads
    where group_id = ${groupId}
      and channel_id = ${channelId}`;
  return row?.thread ?? null;
}

/** Stores what the service answered to the group's first message. */
export async function saveThread(
  sql: Sql,
  { channelId, projectId, groupId }: { channelId: string; projectId: string; groupId: string },
  thread: Thread,
  nowMs: number,
): Promise<void> {
  await sql.run`
    insert into channel_threads (group_id, channel_id, project_id, thread, created_at)
    values (${groupId}, ${channelId}, ${projectId}, ${JSON.stringify(thread)}, ${instant(nowMs)})
    on conflict (group_id, channel_id) do nothing`;
}

/** The channel has moved: what its messages were found by means others there. */
export async function deleteThreadsOf(sql: Sql, channelId: string): Promise<void> {
  await sql.run`
    delete from channel_threads
    where channel_id = ${channelId}`;
}

/** Nobody replies to a message that old. */
export async function deleteThreadsBefore(sql: Sql, beforeMs: number): Promise<void> {
  await sql.run`
    delete from channel_threads
    where created_at < ${instant(beforeMs)}`;
}
