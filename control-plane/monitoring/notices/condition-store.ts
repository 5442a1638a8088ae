import { fragment, type Sql } from '../../platform/db/sql.ts';
import { abilitiesOfAgent } from '../monitors/state/unable-store.ts';
import { checkedRegions } from '../monitors/store.ts';

// Across projects: what is read here opens and closes notices of all of them.

/** A region without a single vote of a project's enabled monitors. Instants in milliseconds. */
export type QuietRegion = {
  region: string;
  name: string;
  shared: boolean;
  project_id: string;
  /** Projects with enabled monitors there. */
  projects: number;
  /** When its last vote expired; null if it never had one. */
  lost_at: number | null;
  /** When its first monitor was created. */
  first_at: number;
  agent_online: boolean;
  agent_seen_at: number | null;
  silent_seconds: number | null;
};

const enabledThere = fragment`
  from monitors m
  join monitor_states s on s.monitor_id = m.id
  where m.project_id = p.project_id and m.enabled and m.deleted_at is null and p.region = any(s.regions)`;

/** Of a region with votes, the first vote that is found ends the search. */
export async function listQuietRegions(sql: Sql): Promise<QuietRegion[]> {
  return sql.rows<QuietRegion>`
    with pairs as materialized (
      select
        m.project_id,
        region,
        min(m.created_at) as first_at,
        (count(*) over (partition by region))::integer as projects
      from monitors m
      cross join lateral unnest(${checkedRegions}) as region
      where m.enabled and m.deleted_at is null
      group by m.project_id, region
    ), quiet as materialized (
      select project_id, region, first_at, projects
      from pairs p
      where (select true ${enabledThere} and s.votes->p.region->>'vote' <> 'unknown' limit 1) is null
    )
    select
      p.region,
      r.name,
      r.project_id is null as shared,
      p.project_id,
      p.projects,
      (
        select max((s.votes->p.region->>'since')::float8)
        ${enabledThere} and (s.votes->p.region->>'as_of')::float8 > 0
      ) as lost_at,
      p.first_at,
      coalesce(a.online, false) as agent_online,
      a.seen_at as agent_seen_at,
      o.region_silent_after_seconds as silent_seconds
    from quiet p
    join regions r on r.code = p.region
    join projects o on o.id = p.project_id
    left join lateral (
      select bool_or(online) as online, max(coalesce(disconnected_at, last_seen_at, created_at)) as seen_at
      from agents
      where region = p.region and revoked_at is null
    ) a on true
    order by p.region, p.project_id`;
}

/** What a region's online agents cannot do although a project's enabled monitors there need it. */
export type UnableMonitors = {
  region: string;
  name: string;
  project_id: string;
  /** Words, parted by blanks. */
  needs: string;
  monitors: number;
  /** Since when it is so at the latest: the monitors are there and so is the newest agent. */
  since: number;
};

/** Regions without any agent are not among them. */
export async function listUnable(sql: Sql): Promise<UnableMonitors[]> {
  return sql.rows<UnableMonitors>`
    select r.code as region, r.name, w.project_id, w.needs, w.monitors, greatest(w.since, a.since) as since
    from (
      select m.project_id, region, m.needs, count(*)::integer as monitors, min(m.configured_at) as since
      from monitors m
      cross join lateral unnest(${checkedRegions}) as region
      where m.enabled and m.deleted_at is null and m.needs <> ''
      group by m.project_id, region, m.needs
    ) w
    join regions r on r.code = w.region
    cross join lateral (
      select
        max(a.connected_at) as since,
        bool_or(string_to_array(w.needs, ' ') <@ (${abilitiesOfAgent})) as able
      from agents a
      where a.region = w.region and a.online and a.revoked_at is null
    ) a
    where not a.able
    order by r.code, w.project_id, w.needs`;
}

/** A quarantine of a region with a project that is concerned; `operator` hears of shared regions. */
export async function listFaulty(
  sql: Sql,
  operator: string | null,
): Promise<{ region: string; name: string; since: number; project_id: string | null }[]> {
  return sql.rows`
    select f.region, r.name, f.since, p.project_id
    from region_faults f
    join regions r on r.code = f.region
    cross join lateral (
      select m.project_id
      from monitors m
      where m.enabled
        and m.deleted_at is null
        and f.region = any(${checkedRegions})
        and (f.project_id is null or m.project_id = f.project_id)
      union
      select ${operator}::text
      where f.project_id is null and r.project_id is null
    ) p
    where f.until is null`;
}

/** An agent that was online and is not; `operator` hears of those in shared regions. */
export async function listOffline(
  sql: Sql,
  operator: string | null,
): Promise<
  {
    id: string;
    name: string;
    region: string;
    project_id: string | null;
    seen_at: number;
    goodbye: boolean;
    silent_seconds: number | null;
  }[]
> {
  return sql.rows`
    select
      a.id,
      a.name,
      a.region,
      coalesce(r.project_id, ${operator}::text) as project_id,
      coalesce(a.disconnected_at, a.last_seen_at) as seen_at,
      a.goodbye_session is not null and a.goodbye_session = a.session_id as goodbye,
      o.agent_silent_after_seconds as silent_seconds
    from agents a
    join regions r on r.code = a.region
    left join projects o on o.id = coalesce(r.project_id, ${operator}::text)
    where a.revoked_at is null and not a.online and a.last_seen_at is not null`;
}

/** The operator's project with its setting; null if there is none of this id. */
export async function findOperator(
  sql: Sql,
  id: string | null,
): Promise<{ id: string; silent_seconds: number | null } | null> {
  return sql.row`
    select id, region_silent_after_seconds as silent_seconds
    from projects
    where id = ${id}`;
}

/** Marks silent regions whose checks of that time came later; `sampled` monitors are looked at. */
export async function markLateResults(sql: Sql, closedSinceMs: number, sampled: number): Promise<void> {
  await sql.run`
    update notices n
    set late_results = true
    where n.closed_at > to_timestamp(${closedSinceMs}::float8 / 1000)
      and n.kind = 'region.silent'
      and not n.late_results
      and exists (
        select 1
        from (
          select id
          from monitors m
          where (n.project_id is null or m.project_id = n.project_id) and n.subject_id = any(${checkedRegions})
          order by project_id, created_at, id
          limit ${sampled}
        ) m
        join check_results r
          on r.monitor_id = m.id
            and r.region = n.subject_id
            and r.scheduled_at between n.opened_at - interval '5 minutes' and n.closed_at
            and r.completed_at < n.closed_at
            and r.received_at > r.completed_at + interval '1 minute'
      )`;
}

/** Heartbeats without a first signal, most a while old. */
export async function listUnheard(
  sql: Sql,
): Promise<{ project_id: string; id: string; name: string; since: number }[]> {
  return sql.rows`
    select m.project_id, m.id, m.name, s.since
    from heartbeats h
    join monitors m on m.id = h.monitor_id
    join monitor_states s on s.monitor_id = m.id
    where h.last_vote_at is null and m.enabled and m.deleted_at is null and s.verdict = 'pending'`;
}
