import { instants } from '../../../platform/db/binary-array.ts';
import { instant, type Sql } from '../../../platform/db/sql.ts';
import type { FlowVersionKey } from '../flow.ts';

type VersionKey = Pick<FlowVersionKey, 'flowId' | 'version'>;

/**
 * Projects with work for the roll-up: new events, dirty hours, reported releases, versions to backfill. `isSlow`: only
 * those with a version that failed, or only the others.
 */
export async function listProjectsWithWork(sql: Sql, isSlow: boolean | null = null): Promise<string[]> {
  const rows = await sql.rows<{ project_id: string }>`
    select project_id
    from (
      select distinct project_id from events_pending
      union
      select distinct project_id from flow_recompute
      union
      select distinct project_id from flow_arrivals
      union
      select distinct project_id from flow_reattributions
      union
      select project_id from flow_versions where filled_at is null
    ) as work
    where ${isSlow}::boolean is null
      or ${isSlow}::boolean = exists (
        select from flow_versions v where v.project_id = work.project_id and v.strikes > 0
      )`;
  return rows.map(row => row.project_id);
}

const lockName = (projectId: string) => `roll-up ${projectId}`;

/** Allows one roll-up per project across replicas, until this transaction ends. False if another one runs. */
export async function lockProject(sql: Sql, projectId: string): Promise<boolean> {
  const row = await sql.row<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${lockName(projectId)}, 0)) as locked`;
  return row?.locked === true;
}

/** Minutes with new events, ascending, and when the first came; `hasMore` if there may be others. */
export type PendingMinutes = { minutes: number[]; arrivedMs: number | null; hasMore: boolean };

/**
 * Takes the minutes whose events arrived first, each once, within at most `rows` rows and `hours` hours (the cost of
 * counting goes by hours). They return to the queue if this transaction fails.
 */
export async function takePendingMinutes(
  sql: Sql,
  projectId: string,
  limits: { rows: number; hours: number },
): Promise<PendingMinutes> {
  const rows = await sql.rows<{ minute: number; at: number; rows: number; hours: number }>`
    with oldest as materialized (
      select ctid as row_id, minute, date_bin('1 hour', minute, '2000-01-01Z') as hour, at
      from events_pending
      where project_id = ${projectId}
      order by at
      limit ${limits.rows}
    ), hours as materialized (
      select hour
      from oldest
      group by hour
      order by min(at), hour
      limit ${limits.hours}
    ), taken as (
      delete from events_pending
      where ctid = any(array(select row_id from oldest where hour in (select hour from hours)))
      returning minute, at
    )
    select
      minute,
      min(at) as at,
      (select count(*) from oldest) as rows,
      (select count(*) from hours) as hours
    from taken
    group by minute
    order by minute`;
  const [first] = rows;
  return {
    minutes: rows.map(row => row.minute),
    arrivedMs: first === undefined ? null : Math.min(...rows.map(row => row.at)),
    hasMore: first !== undefined && (first.rows >= limits.rows || first.hours >= limits.hours),
  };
}

/** When the oldest event arrived that is not rolled up yet for this version; null if all are. */
export async function findOldestPending(
  sql: Sql,
  { flowId, version, projectId }: FlowVersionKey,
): Promise<number | null> {
  const row = await sql.row<{ at: number | null }>`
    select least(
      (select min(at) from events_pending where project_id = ${projectId}),
      (select min(at) from flow_arrivals where flow_id = ${flowId} and version = ${version})
    ) as at`;
  return row?.at ?? null;
}

/** The same for all versions of all projects. */
export async function findOldestPendingOfAll(sql: Sql): Promise<number | null> {
  const row = await sql.row<{ at: number | null }>`
    select least((select min(at) from events_pending), (select min(at) from flow_arrivals)) as at`;
  return row?.at ?? null;
}

/** A time whose entries belong to another release since one was reported. */
export type Reattribution = { fromMs: number; toMs: number };

/** Leaves the hours of [fromMs, toMs) to the next roll-up, which sees the release that this transaction reports. */
export async function requestReattribution(sql: Sql, projectId: string, fromMs: number, toMs: number): Promise<void> {
  await sql.run`
    insert into flow_reattributions (project_id, from_at, to_at)
    values (${projectId}, ${instant(fromMs)}, ${instant(toMs)})`;
}

/** Takes what was requested, joined. Markers must be read afterwards: they then include those releases. */
export async function takeReattributions(sql: Sql, projectId: string): Promise<Reattribution[]> {
  const rows = await sql.rows<ReattributionRow>`
    delete from flow_reattributions
    where project_id = ${projectId}
    returning from_at, to_at`;
  return joinRanges(rows.map(toReattribution));
}

/** What the roll-up has not taken yet. */
export async function listReattributions(sql: Sql, projectId: string): Promise<Reattribution[]> {
  const rows = await sql.rows<ReattributionRow>`
    select from_at, to_at
    from flow_reattributions
    where project_id = ${projectId}`;
  return rows.map(toReattribution);
}

/** Ranges that overlap or touch, as one; ascending. */
export function joinRanges(ranges: readonly Reattribution[]): Reattribution[] {
  const joined: Reattribution[] = [];
  for (const { fromMs, toMs } of [...ranges].sort((left, right) => left.fromMs - right.fromMs)) {
    const last = joined.at(-1);
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else joined.push({ fromMs, toMs });
  }
  return joined;
}

type ReattributionRow = { from_at: number; to_at: number };

function toReattribution(row: ReattributionRow): Reattribution {
  return { fromMs: row.from_at, toMs: row.to_at };
}

/** Marks hours of a version as dirty: the roll-up recomputes them, and reports read them raw until then. */
export async function markHours(
  sql: Sql,
  { flowId, version, projectId }: FlowVersionKey,
  hours: readonly number[],
): Promise<void> {
  if (hours.length === 0) return;
  await sql.run`
    insert into flow_recompute (flow_id, version, hour, project_id)
    select ${flowId}, ${version}, hour, ${projectId}
    from unnest(${instants(hours)}::timestamptz[]) as h (hour)
    order by hour
    on conflict do nothing`;
}

/** Takes the newest dirty hours, which are read most, ascending. They return if this transaction fails. */
export async function takeDirtyHours(sql: Sql, { flowId, version }: VersionKey, limit: number): Promise<number[]> {
  const rows = await sql.rows<{ hour: number }>`
    delete from flow_recompute
    where flow_id = ${flowId}
      and version = ${version}
      and hour in (
        select hour
        from flow_recompute
        where flow_id = ${flowId}
          and version = ${version}
        order by hour desc
        limit ${limit}
      )
    returning hour`;
  return rows.map(row => row.hour).sort((left, right) => left - right);
}

/** Dirty hours in [fromMs, toMs), ascending. */
export async function listDirtyHours(
  sql: Sql,
  { flowId, version }: VersionKey,
  fromMs: number,
  toMs: number,
): Promise<number[]> {
  const rows = await sql.rows<{ hour: number }>`
    select hour
    from flow_recompute
    where flow_id = ${flowId}
      and version = ${version}
      and hour >= ${instant(fromMs)}
      and hour < ${instant(toMs)}
    order by hour`;
  return rows.map(row => row.hour);
}

/** The version's hours are listed; `completeFrom` is null if no events were lost before it was created. */
export async function setFilled(
  sql: Sql,
  { flowId, version }: VersionKey,
  nowMs: number,
  completeFrom: number | null,
): Promise<void> {
  await sql.run`
    update flow_versions
    set filled_at = ${instant(nowMs)}, complete_from = ${instant(completeFrom)}
    where flow_id = ${flowId}
      and version = ${version}`;
}
