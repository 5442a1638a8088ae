import { dayMs, minuteMs } from '#shared/duration.ts';
import { instant, type Sql } from '../db/sql.ts';
import { listCurrentWindows } from '../memberships/window-store.ts';
import type { Labels } from '../monitors/labels.ts';
import type { Votes } from '../monitors/state.ts';
import { monitorSubject, selectorCondition } from '../selectors/compile.ts';
import type { Selector } from '../selectors/selector.ts';
import { type Checks, type Facts, windows } from './families.ts';

/** No check takes longer from its slot to its completion. */
const checkMaxMs = 5 * minuteMs;

type MonitorRow = {
  id: string;
  name: string;
  labels: Labels;
  regions: string[];
  verdict: string;
  since: number;
  votes: Votes;
};

/** Monitors, and pairs of a monitor and one of its regions. */
export type Size = { monitors: number; regions: number };

/** Counts the project's monitors that match, and the regions of each together. */
export async function countMatching(sql: Sql, projectId: string, selector: Selector | null): Promise<Size> {
  const [row] = await sql.once<Size>`
    select count(*) as monitors, coalesce(sum(cardinality(m.regions)), 0) as regions
    from monitors m
    where m.project_id = ${projectId}
      and m.deleted_at is null
      and ${selectorCondition(selector, monitorSubject)}`;
  return row ?? { monitors: 0, regions: 0 };
}

/** Reads everything in one snapshot. Must be the first of its transaction. */
export async function readFacts(sql: Sql, projectId: string, selector: Selector | null, nowMs: number): Promise<Facts> {
  await sql.run`set transaction isolation level repeatable read`;
  const monitors = await sql.once<MonitorRow>`
    select m.id, m.name, m.labels, m.regions, s.verdict, s.since, s.votes
    from monitors m
    join monitor_states s on s.monitor_id = m.id
    where m.project_id = ${projectId}
      and m.deleted_at is null
      and ${selectorCondition(selector, monitorSubject)}
    order by m.id`;
  const ids = monitors.map(monitor => monitor.id);
  const uptimes = await readUptimes(sql, projectId, ids, nowMs);
  const latencies = await readLatencies(sql, monitors);
  const checks = await readChecks(sql, ids, nowMs);
  const maintained = await listCurrentWindows(sql, ids, nowMs);
  return {
    monitors: monitors.map(monitor => ({
      ...monitor,
      uptimes: Object.fromEntries(uptimes.get(monitor.id) ?? []),
      latencies: Object.fromEntries(latencies.get(monitor.id) ?? []),
      checks: Object.fromEntries(checks.get(monitor.id) ?? []),
      maintained: maintained.has(monitor.id),
    })),
    alerts: await sql.rows`
      select a.monitor_id, a.kind, a.severity, a.current_state as state, a.held
      from alerts a
      where a.project_id = ${projectId}
        and a.current_state <> 'resolved'
        and a.monitor_id = any(${ids}::text[])
      order by a.monitor_id, a.kind`,
    agents: await readAgents(sql, projectId),
  };
}

/** Uptime by monitor and window, summed where the rows are: a monitor may have very many. */
async function readUptimes(
  sql: Sql,
  projectId: string,
  ids: readonly string[],
  nowMs: number,
): Promise<Map<string, [string, number][]>> {
  const longestMs = Math.max(...windows.map(([, lengthMs]) => lengthMs));
  const from = instant(nowMs - longestMs);
  const rows = await sql.rows<{ monitor_id: string; name: string; uptime: number }>`
    with spans as (
      select c.monitor_id, c.verdict, c.since as began,
        lead(c.since, 1, ${instant(nowMs)}::timestamptz) over (partition by c.monitor_id order by c.since) as ended
      from unnest(${ids}::text[]) as wanted (id)
      join verdict_changes c on c.monitor_id = wanted.id
      where c.project_id = ${projectId}
        and c.since < ${instant(nowMs)}
        and c.since >= coalesce(
          (
            select max(first.since)
            from verdict_changes first
            where first.monitor_id = wanted.id and first.since <= ${from}
          ),
          ${from}
        )
    )
    select spans.monitor_id, windows.name,
      coalesce(sum(part.seconds) filter (where spans.verdict <> 'down') / sum(part.seconds), 0)::float8 as uptime
    from spans
    join unnest(
      ${windows.map(([name]) => name)}::text[],
      ${windows.map(([, lengthMs]) => instant(nowMs - lengthMs))}::timestamptz[]
    ) as windows (name, began) on spans.ended > windows.began
    cross join lateral (
      select extract(epoch from spans.ended - greatest(spans.began, windows.began)) as seconds
    ) as part
    where spans.verdict in ('up', 'degraded', 'down')
      and part.seconds > 0
    group by spans.monitor_id, windows.name`;
  const uptimes = new Map<string, [string, number][]>();
  for (const { monitor_id, name, uptime } of rows)
    uptimes.set(monitor_id, [...(uptimes.get(monitor_id) ?? []), [name, uptime]]);
  return uptimes;
}

/** Latency of the check behind each good vote. */
async function readLatencies(sql: Sql, monitors: readonly MonitorRow[]): Promise<Map<string, [string, number][]>> {
  const good = monitors.flatMap(({ id, votes }) =>
    Object.entries(votes).flatMap(([region, { vote, as_of: asOf }]) =>
      vote === 'up' || vote === 'warn' ? [{ id, region, asOf }] : [],
    ),
  );
  const rows = await sql.rows<{ monitor_id: string; region: string; latency_ms: number }>`
    select wanted.monitor_id, wanted.region, newest.latency_ms
    from unnest(
      ${good.map(vote => vote.id)}::text[],
      ${good.map(vote => vote.region)}::text[],
      ${good.map(vote => instant(vote.asOf - checkMaxMs))}::timestamptz[],
      ${good.map(vote => instant(vote.asOf))}::timestamptz[]
    ) as wanted (monitor_id, region, after, until)
    cross join lateral (
      select r.latency_ms
      from check_results r
      where r.monitor_id = wanted.monitor_id
        and r.region = wanted.region
        and r.scheduled_at >= wanted.after
        and r.scheduled_at <= wanted.until
        and r.status in ('ok', 'warn')
        and r.latency_ms is not null
      order by r.scheduled_at desc, r.attempt desc
      limit 1
    ) as newest`;
  const latencies = new Map<string, [string, number][]>();
  for (const { monitor_id, region, latency_ms } of rows)
    latencies.set(monitor_id, [...(latencies.get(monitor_id) ?? []), [region, latency_ms]]);
  return latencies;
}

/**
 * Checks by monitor and region since midnight: all of them would be years of hours for each scrape. A late result of
 * the day before changes nothing, one of today adds, so a counter falls at midnight only.
 */
async function readChecks(sql: Sql, ids: readonly string[], nowMs: number): Promise<Map<string, [string, Checks][]>> {
  const midnight = instant(Math.floor(nowMs / dayMs) * dayMs);
  const rows = await sql.rows<Checks & { monitor_id: string; region: string }>`
    select h.monitor_id, h.region, sum(h.ok)::integer as ok, sum(h.warn)::integer as warn, sum(h.err)::integer as err
    from unnest(${ids}::text[]) as wanted (id)
    join checks_hourly h on h.monitor_id = wanted.id
    where h.hour >= ${midnight}
      and h.hour <= ${instant(nowMs)}
    group by h.monitor_id, h.region`;
  const checks = new Map<string, [string, Checks][]>();
  for (const { monitor_id, region, ...counts } of rows) {
    const known = checks.get(monitor_id);
    if (known === undefined) checks.set(monitor_id, [[region, counts]]);
    else known.push([region, counts]);
  }
  return checks;
}

/** Agents of the regions that the project may use. */
async function readAgents(sql: Sql, projectId: string): Promise<Facts['agents']> {
  return sql.rows`
    select r.code as region, states.state,
      count(a.id) filter (
        where states.state = case
          when not a.online then 'offline'
          when a.disconnected_at is null then 'online'
          else 'draining'
        end
      ) as agents
    from regions r
    cross join (values ('online'), ('draining'), ('offline')) as states (state)
    left join agents a on a.region = r.code and a.revoked_at is null
    where r.project_id is null or r.project_id = ${projectId}
    group by r.code, states.state
    order by r.code, states.state`;
}
