import { instant, type Sql } from '../../platform/db/sql.ts';
import { abilitiesOfAgent } from '../monitors/state/unable-store.ts';
import { type QuarantineScope, Quarantines } from './quarantine.ts';
import type { RegionTally } from './region-tally.ts';

/** One quarantine of a region; `until` is null while it lasts. */
export type RegionFault = { region: string; since: number; until: number | null };

/** The quarantines that last. */
export async function listQuarantines(sql: Sql): Promise<QuarantineScope[]> {
  return sql.rows<QuarantineScope>`
    select region, project_id as "projectId"
    from region_faults
    where until is null`;
}

/** The same as regions by project, and when they last changed within a day: no vote lives as long. */
export async function readQuarantines(sql: Sql): Promise<Quarantines> {
  const rows = await sql.rows<QuarantineScope & RegionFault>`
    select region, project_id as "projectId", since, until
    from region_faults
    where until is null or until > clock_timestamp() - interval '1 day'`;
  return new Quarantines(rows);
}

/** Quarantines that a project's monitors were judged by and that had not ended by `fromMs`, oldest first. */
export async function listFaults(
  sql: Sql,
  projectId: string,
  regions: readonly string[],
  fromMs: number,
): Promise<RegionFault[]> {
  return sql.rows<RegionFault>`
    select region, since, until
    from region_faults
    where region = any(${regions}::text[])
      and (project_id is null or project_id = ${projectId})
      and (until is null or until > ${instant(fromMs)})
    order by since`;
}

/** A quarantine that began or ended, and whose monitors are to be judged by that. */
export type ChangedQuarantine = QuarantineScope & Pick<RegionFault, 'since' | 'until'>;

/** For so long after the last sign of whoever judges by a change, nobody else does. */
const judgingMs = 30_000;

/** Begins a quarantine whose monitors are then to be judged. Null if there is one. */
export async function insertFault(
  sql: Sql,
  { region, projectId }: QuarantineScope,
  nowMs: number,
): Promise<ChangedQuarantine | null> {
  return sql.row<ChangedQuarantine>`
    insert into region_faults (region, project_id, since, judge_at)
    values (${region}, ${projectId}, ${instant(nowMs)}, ${instant(nowMs + judgingMs)})
    on conflict do nothing
    returning region, project_id as "projectId", since, until`;
}

/** The same for its end. Null if there is none. */
export async function endFault(
  sql: Sql,
  { region, projectId }: QuarantineScope,
  nowMs: number,
): Promise<ChangedQuarantine | null> {
  return sql.row<ChangedQuarantine>`
    update region_faults
    set until = ${instant(nowMs)}, judge_at = ${instant(nowMs + judgingMs)}
    where region = ${region} and project_id is not distinct from ${projectId}::text and until is null
    returning region, project_id as "projectId", since, until`;
}

/** Changes that whoever made them did not judge by, oldest first; from now on they are the caller's. */
export async function takeUnjudged(sql: Sql, nowMs: number): Promise<ChangedQuarantine[]> {
  const rows = await sql.rows<ChangedQuarantine>`
    update region_faults
    set judge_at = ${instant(nowMs + judgingMs)}
    where judge_at <= ${instant(nowMs)}
    returning region, project_id as "projectId", since, until`;
  return rows.sort((one, other) => (one.until ?? one.since) - (other.until ?? other.since));
}

/** Says that the monitors are still being judged, or that all are. Does nothing after a later change. */
export async function moveJudging(
  sql: Sql,
  { region, projectId, since, until }: ChangedQuarantine,
  isDone: boolean,
): Promise<void> {
  await sql.run`
    update region_faults
    set judge_at = case when ${isDone} then null else clock_timestamp() + ${judgingMs} * interval '1 ms' end
    where region = ${region}
      and project_id is not distinct from ${projectId}::text
      and since = ${instant(since)}
      and (until is null) = ${until === null}
      and judge_at is not null`;
}

/** Records votes that turned down, for `tallyRegions`. */
export async function insertVoteDowns(
  sql: Sql,
  downs: readonly { region: string; monitorId: string }[],
  nowMs: number,
): Promise<void> {
  await sql.run`
    insert into vote_downs (region, monitor_id, at)
    select region, monitor_id, ${instant(nowMs)}
    from unnest(${downs.map(down => down.region)}::text[], ${downs.map(down => down.monitorId)}::text[])
      as down (region, monitor_id)`;
}

export async function deleteVoteDowns(sql: Sql, beforeMs: number): Promise<void> {
  await sql.run`delete from vote_downs where at < ${instant(beforeMs)}`;
}

/**
 * Tallies by project of the quarantined regions, and of those where `monitorsMin` monitors turned down after `sinceMs`.
 * Monitors count that were created before `createdBeforeMs`.
 */
export async function tallyRegions(
  sql: Sql,
  quarantined: readonly string[],
  sinceMs: number,
  createdBeforeMs: number,
  monitorsMin: number,
): Promise<RegionTally[]> {
  return sql.rows<RegionTally>`
    with suspects as (
      select region
      from vote_downs
      where at > ${instant(sinceMs)}
      group by region
      having count(distinct monitor_id) >= ${monitorsMin}
      union
      select unnest(${quarantined}::text[])
    ), compared as (
      select
        suspects.region,
        s.project_id,
        substring(m.url from '^[a-z]+://([^/:?#]+)') as host,
        s.votes->suspects.region->>'vote' in ('up', 'warn') as good,
        s.votes->suspects.region->>'vote' = 'down'
          and not exists (
            select 1
            from json_each(s.votes) as other
            where other.key <> suspects.region and other.value->>'vote' = 'down'
          )
          and exists (
            select 1
            from json_each(s.votes) as other
            where other.key <> suspects.region and other.value->>'vote' in ('up', 'warn')
          ) as disagrees,
        exists (
          select 1
          from vote_downs d
          where d.region = suspects.region and d.monitor_id = s.monitor_id and d.at > ${instant(sinceMs)}
        ) as is_newly_down,
        m.needs = '' or exists (
          select 1
          from agents a
          where a.region = suspects.region
            and a.online
            and a.revoked_at is null
            and string_to_array(m.needs, ' ') <@ (${abilitiesOfAgent})
        ) as is_able
      from suspects
      join monitor_states s on suspects.region = any(s.regions) and s.enabled and not s.deleted
      join monitors m on m.id = s.monitor_id and m.created_at < ${instant(createdBeforeMs)}
    )
    select
      region,
      project_id as "projectId",
      count(*)::integer as monitors,
      count(*) filter (where is_able)::integer as able,
      count(*) filter (where disagrees)::integer as disagreeing,
      count(*) filter (where good)::integer as good,
      count(*) filter (where disagrees and is_newly_down)::integer as "newlyDisagreeing",
      count(distinct host) filter (where disagrees and is_newly_down)::integer as "newlyDisagreeingHosts"
    from compared
    group by region, project_id`;
}

/** Ids of enabled monitors that a quarantine concerns after `afterId`, in id order. */
export async function listMonitorsOf(
  sql: Sql,
  { region, projectId }: QuarantineScope,
  afterId: string,
  limit: number,
): Promise<string[]> {
  const rows = await sql.rows<{ monitor_id: string }>`
    select monitor_id
    from monitor_states
    where ${region} = any(regions)
      and (${projectId}::text is null or project_id = ${projectId}::text)
      and enabled
      and not deleted
      and monitor_id > ${afterId}
    order by monitor_id
    limit ${limit}`;
  return rows.map(row => row.monitor_id);
}
