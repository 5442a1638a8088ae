import { instant, type Sql } from '../../platform/db/sql.ts';
import type { Cause } from '../alert-groups/keys.ts';
import type { Plan, Progress } from './group-state.ts';

/** A group that something is due of, locked. */
export type DueGroup = {
  id: string;
  project_id: string;
  cause: Cause | null;
  opened_at: number;
  told_at: number | null;
  number: number;
  progress: Progress;
  wait_seconds: number;
  project_name: string;
};

/** Locks the group that has been due longest, unless another replica has it; null if none is due. */
export function claimDueGroup(sql: Sql, nowMs: number): Promise<DueGroup | null> {
  return sql.row<DueGroup>`
    select
      g.id, g.project_id, g.cause, g.opened_at, g.told_at, g.number, g.progress,
      p.group_wait_seconds as wait_seconds, p.name as project_name
    from alert_groups g
    join projects p on p.id = g.project_id
    where g.due_at < 'infinity'
      and g.due_at <= ${instant(nowMs)}
    order by g.due_at
    limit 1
    for update of g skip locked`;
}

/** Locks a group for its digest; null if it is gone. */
export function lockGroup(sql: Sql, id: string): Promise<DueGroup | null> {
  return sql.row<DueGroup>`
    select
      g.id, g.project_id, g.cause, g.opened_at, g.told_at, g.number, g.progress,
      p.group_wait_seconds as wait_seconds, p.name as project_name
    from alert_groups g
    join projects p on p.id = g.project_id
    where g.id = ${id}
    for update of g`;
}

/** Stores what a plan did, and when the group is due again. */
export async function saveRun(
  sql: Sql,
  group: DueGroup,
  { progress, state, nextAt, messages }: Pick<Plan, 'progress' | 'state' | 'nextAt' | 'messages'>,
  nowMs: number,
): Promise<void> {
  const ended = state === 'resolved' || state === 'cancelled';
  await sql.run`
    update alert_groups
    set progress = ${JSON.stringify(progress)},
      state = ${state},
      due_at = ${Number.isFinite(nextAt) ? instant(nextAt) : 'infinity'},
      told_at = coalesce(told_at, ${instant(messages.length > 0 ? nowMs : null)}::timestamptz),
      ended_at = case when ${ended} then coalesce(ended_at, ${instant(nowMs)}) end
    where id = ${group.id}`;
}

/** Stores the progress alone. */
export async function saveProgress(sql: Sql, id: string, progress: Progress, nowMs: number): Promise<void> {
  await sql.run`
    update alert_groups
    set progress = ${JSON.stringify(progress)},
      told_at = coalesce(told_at, ${instant(nowMs)}),
      due_at = least(due_at, ${instant(nowMs)}::timestamptz)
    where id = ${id}`;
}

/** Puts a group into the digest of a channel. The lock of the row keeps it until this commits. */
export async function addToDigest(
  sql: Sql,
  { projectId, channelId, groupId, at }: { projectId: string; channelId: string; groupId: string; at: number },
): Promise<void> {
  await sql.run`
    insert into quiet_digests as d (channel_id, project_id, due_at, group_ids)
    values (${channelId}, ${projectId}, ${instant(at)}, array[${groupId}]::text[])
    on conflict (channel_id) do update
    set due_at = least(d.due_at, excluded.due_at),
      group_ids = case when ${groupId} = any(d.group_ids) then d.group_ids else d.group_ids || excluded.group_ids end`;
}

export type DueDigest = { channel_id: string; project_id: string; group_ids: string[] };

/** The digest that has been due longest; null if none is due. */
export function findDueDigest(sql: Sql, nowMs: number): Promise<DueDigest | null> {
  return sql.row<DueDigest>`
    select channel_id, project_id, group_ids
    from quiet_digests
    where due_at <= ${instant(nowMs)}
    order by due_at
    limit 1`;
}

/** Locks a digest while it is due; null if it is not. Its groups must be locked first: their runs add to digests. */
export function lockDigest(sql: Sql, channelId: string, nowMs: number): Promise<DueDigest | null> {
  return sql.row<DueDigest>`
    select channel_id, project_id, group_ids
    from quiet_digests
    where channel_id = ${channelId}
      and due_at <= ${instant(nowMs)}
    for update`;
}

export async function deleteDigest(sql: Sql, channelId: string): Promise<void> {
  await sql.run`delete from quiet_digests where channel_id = ${channelId}`;
}

export async function postponeDigest(sql: Sql, channelId: string, untilMs: number): Promise<void> {
  await sql.run`update quiet_digests set due_at = ${instant(untilMs)} where channel_id = ${channelId}`;
}

/** The types of channels, by id. */
export async function typesOfChannels(
  sql: Sql,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql.rows<{ id: string; type: string }>`
    select id, type
    from channels
    where project_id = ${projectId}
      and id = any(${ids}::text[])`;
  return new Map(rows.map(row => [row.id, row.type]));
}
