import { instant, type Sql } from '../db/sql.ts';
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

/** The same as regions by project. */
export async function readQuarantines(sql: Sql): Promise<Quarantines> {
  return new Quarantines(await listQuarantines(sql));
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

/** False if there is such a quarantine. */
export async function insertFault(sql: Sql, { region, projectId }: QuarantineScope, nowMs: number): Promise<boolean> {
  const inserted = await sql.run`
    insert into region_faults (region, project_id, since, judged)
    values (${region}, ${projectId}, ${instant(nowMs)}, false)
    on conflict do nothing`;
  return inserted > 0;
}

/** False if there is no such quarantine. */
export async function endFault(sql: Sql, { region, projectId }: QuarantineScope, nowMs: number): Promise<boolean> {
  const ended = await sql.run`
    update region_faults
    set until = ${instant(nowMs)}, judged = false
    where region = ${region} and project_id is not distinct from ${projectId}::text and until is null`;
  return ended > 0;
}

/** A quarantine that began or ended, and whose monitors were not judged again since. */
export type Unjudged = QuarantineScope & Pick<RegionFault, 'since' | 'until'>;

export async function listUnjudged(sql: Sql): Promise<Unjudged[]> {
  return sql.rows<Unjudged>`
    select region, project_id as "projectId", since, until
    from region_faults
    where not judged
    order by since`;
}

/** Does nothing if the quarantine has ended since. */
export async function markJudged(sql: Sql, { region, projectId, since, until }: Unjudged): Promise<void> {
  await sql.run`
    update region_faults
    set judged = true
    where region = ${region}
      and project_id is not distinct from ${projectId}::text
      and since = ${instant(since)}
      and (until is null) = ${until === null}
      and not judged`;
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
        ) as is_newly_down
      from suspects
      join monitor_states s on suspects.region = any(s.regions) and s.enabled and not s.deleted
      join monitors m on m.id = s.monitor_id and m.created_at < ${instant(createdBeforeMs)}
    )
    select
      region,
      project_id as "projectId",
      count(*)::integer as monitors,
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
