import { instants } from '../../../platform/db/binary-array.ts';
import { instant, type Sql } from '../../../platform/db/sql.ts';
import type { FlowVersionKey } from '../flow.ts';
import type { PendingMinutes } from './queue-store.ts';

type VersionKey = Pick<FlowVersionKey, 'flowId' | 'version'>;

/** Leaves taken minutes to a later round of this version. */
export async function postponeMinutes(
  sql: Sql,
  { flowId, version, projectId }: FlowVersionKey,
  { minutes, arrivedMs }: PendingMinutes,
): Promise<void> {
  if (minutes.length === 0) return;
  await sql.run`
    insert into flow_arrivals (flow_id, version, project_id, minute, at)
    select ${flowId}, ${version}, ${projectId}, minute, ${instant(arrivedMs)}::timestamptz
    from unnest(${instants(minutes)}::timestamptz[]) as m (minute)
    on conflict do nothing`;
}

/** Takes the first minutes that were postponed for this version, ascending; all if `max` is null. */
export async function takePostponedMinutes(
  sql: Sql,
  { flowId, version }: VersionKey,
  max: number | null,
): Promise<number[]> {
  const rows = await sql.rows<{ minute: number }>`
    delete from flow_arrivals
    where ctid = any(array(
      select ctid
      from flow_arrivals
      where flow_id = ${flowId}
        and version = ${version}
      order by minute
      limit ${max}
    ))
    returning minute`;
  return rows.map(row => row.minute).sort((left, right) => left - right);
}

/** Whether more minutes are postponed for this version than `max`. */
export async function hasPostponedMoreThan(sql: Sql, { flowId, version }: VersionKey, max: number): Promise<boolean> {
  const rows = await sql.rows`
    select 1
    from flow_arrivals
    where flow_id = ${flowId}
      and version = ${version}
    offset ${max}
    limit 1`;
  return rows.length > 0;
}
