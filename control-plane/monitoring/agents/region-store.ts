import type { Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import { capabilitiesOfRegion } from '../monitors/state/unable-store.ts';
import type { RegionDetailsRow } from './agent.ts';

/**
 * A page of the shared regions and the project's own by code. Their figures are of the project's enabled monitors, from
 * the votes that judging has stored.
 */
export async function listRegionDetails(
  sql: Sql,
  projectId: string,
  nowMs: number,
  page: Page,
): Promise<RegionDetailsRow[]> {
  const [, afterCode = null] = page.after ?? [];
  return sql.rows<RegionDetailsRow>`
    select
      r.code,
      r.name,
      r.project_id is not null as private,
      coalesce(a.online, 0)::integer as agents_online,
      coalesce(a.total, 0)::integer as agents_total,
      ${capabilitiesOfRegion} as capabilities,
      f.since as quarantined_since,
      coalesce(v.monitors, 0)::integer as monitors,
      coalesce(v.monitors - v.voting, 0)::integer as monitors_without_vote,
      to_timestamp(v.newest / 1000) as last_result_at
    from regions r
    left join lateral (
      select count(*) as total, count(*) filter (where online) as online
      from agents
      where region = r.code and revoked_at is null
    ) a on true
    left join lateral (
      select min(since) as since
      from region_faults
      where region = r.code and until is null and (project_id is null or project_id = ${projectId})
    ) f on true
    left join (
      select
        region,
        count(*) as monitors,
        count(*) filter (
          where vote->>'vote' <> 'unknown' and (vote->>'expires_at')::double precision > ${nowMs}::double precision
        ) as voting,
        max((vote->>'judged_at')::double precision) as newest
      from (
        -- Each reading of a key of json parses the whole text, of jsonb nothing.
        select regions, votes::jsonb as votes
        from monitor_states
        where project_id = ${projectId} and enabled and not deleted
        offset 0
      ) s
      cross join unnest(s.regions) as region
      cross join lateral (select s.votes->region as vote) own
      group by region
    ) v on v.region = r.code
    where (r.project_id is null or r.project_id = ${projectId})
      and (${afterCode}::text is null or r.code > ${afterCode}::text)
    order by r.code
    limit ${page.limit + 1}`;
}

/** Whether agents can be created in a region: one of the project's own, or a shared one with `shared`. */
export async function isRegionOf(
  sql: Sql,
  { projectId, shared }: { projectId: string; shared: boolean },
  code: string,
): Promise<boolean> {
  const row = await sql.row`
    select 1
    from regions
    where code = ${code} and (project_id = ${projectId} or (${shared} and project_id is null))`;
  return row !== null;
}
