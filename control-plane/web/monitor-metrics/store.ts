import { minuteMs } from '#shared/duration.ts';
import { named } from '../../monitoring/checks/roll-up/check-counts.ts';
import { listFailures } from '../../monitoring/checks/roll-up/failure-store.ts';
import { readTotals } from '../../monitoring/checks/roll-up/total-store.ts';
import type { CommonFacts } from '../../monitoring/checks/storage/facts.ts';
import { joinSteps } from '../../monitoring/checks/storage/step-figures.ts';
import { listCurrentWindows } from '../../monitoring/memberships/window-store.ts';
import type { Labels } from '../../monitoring/monitors/labels/labels.ts';
import type { Votes } from '../../monitoring/monitors/state/state.ts';
import { readUptimeRatios } from '../../monitoring/uptime/ratio-store.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';
import { monitorSubject, selectorCondition } from '../../platform/selectors/compile.ts';
import type { Selector } from '../../platform/selectors/selector.ts';
import { type Facts, windows } from './families.ts';
import type { NewestCheck } from './newest-checks.ts';

/** No check takes longer from its slot to its completion. */
const checkMaxMs = 5 * minuteMs;

type MonitorRow = {
  id: string;
  name: string;
  kind: string;
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
    select count(*) as monitors, coalesce(sum(cardinality(coalesce(m.able_regions, m.regions))), 0) as regions
    from monitors m
    where m.project_id = ${projectId}
      and m.deleted_at is null
      and ${selectorCondition(selector, monitorSubject)}`;
  return row ?? { monitors: 0, regions: 0 };
}

export type Wanted = { projectId: string; selector: Selector | null; withChannels: boolean };

/** Reads everything in one snapshot. Must be the first of its transaction. */
export async function readFacts(
  sql: Sql,
  { projectId, selector, withChannels }: Wanted,
  nowMs: number,
): Promise<Facts> {
  await sql.run`set transaction isolation level repeatable read`;
  const monitors = await sql.once<MonitorRow>`
    select m.id, m.name, m.kind, m.labels, s.verdict, s.since, s.votes, h.last_success_at, h.expected_at,
      (l.standing->'facts'->>'ends_at')::timestamptz as domain_ends_at,
      case
        when h.monitor_id is null and m.kind not in ('domain', 'events') then coalesce(m.able_regions, m.regions)
        else s.regions
      end as regions
    from monitors m
    join monitor_states s on s.monitor_id = m.id
    left join heartbeats h on h.monitor_id = m.id
    left join domain_lookups l on m.kind = 'domain' and l.name = m.own->>'name'
    where m.project_id = ${projectId}
      and m.deleted_at is null
      and ${selectorCondition(selector, monitorSubject)}
    order by m.id`;
  const ids = monitors.map(monitor => monitor.id);
  const uptimes = await readUptimes(sql, projectId, ids, nowMs);
  const newest = await readNewest(sql, monitors);
  const totals = await readTotals(sql, ids);
  const failures = Map.groupBy(await listFailures(sql, ids), ({ monitorId }) => monitorId);
  const maintained = await listCurrentWindows(sql, ids, nowMs);
  return {
    monitors: monitors.map(monitor => ({
      ...monitor,
      uptimes: Object.fromEntries(uptimes.get(monitor.id) ?? []),
      newest: Object.fromEntries(newest.get(monitor.id) ?? []),
      checks: Object.fromEntries(
        Object.entries(totals.get(monitor.id) ?? {}).map(([region, counts]) => [region, named(counts)]),
      ),
      failures: failures.get(monitor.id) ?? [],
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
    channels: withChannels ? await readChannels(sql, projectId) : [],
  };
}

/** Uptime by monitor and window. */
async function readUptimes(
  sql: Sql,
  projectId: string,
  ids: readonly string[],
  nowMs: number,
): Promise<Map<string, [string, number][]>> {
  const uptimes = new Map<string, [string, number][]>();
  for (const [name, lengthMs] of windows)
    for (const [id, uptime] of await readUptimeRatios(sql, projectId, ids, lengthMs, nowMs))
      uptimes.set(id, [...(uptimes.get(id) ?? []), [name, uptime]]);
  return uptimes;
}

type NewestRow = {
  monitor_id: string;
  region: string;
  latency_ms: number | null;
  valid_to: string | null;
  client_valid_to: string | null;
  loss: number | null;
  jitter_ms: number | null;
  measured: number | null;
  common_steps: CommonFacts['steps'] | null;
  own_steps: string | null;
  addresses: CommonFacts['addresses'] | null;
};

/**
 * What is known of the check behind each vote: of a good one its latency, the certificate that it saw, and of a ping
 * the packets, of stored events the value: among what differs each time, or in the detail of a failure.
 */
async function readNewest(sql: Sql, monitors: readonly MonitorRow[]): Promise<Map<string, [string, NewestCheck][]>> {
  const cast = monitors.flatMap(({ id, votes }) =>
    Object.entries(votes).flatMap(([region, { vote, as_of: asOf }]) =>
      vote === 'unknown' ? [] : [{ id, region, asOf, isGood: vote !== 'down' }],
    ),
  );
  const rows = await sql.rows<NewestRow>`
    select wanted.monitor_id, wanted.region,
      case when wanted.good then newest.latency_ms end as latency_ms,
      (
        select min((one->>'valid_to') collate "C")
        from (
          select coalesce(s.shape->'tls', newest.tls)
          union all
          select json_array_elements(coalesce(s.shape->'tls', newest.tls)->'earlier')
        ) as seen (one)
      ) as valid_to,
      coalesce(s.shape->'facts', newest.facts)->'client_certificate'->>'valid_to' as client_valid_to,
      1 - coalesce(newest.own->>1, newest.facts->'ping'->>'received')::float8
        / nullif(coalesce(newest.own->>0, newest.facts->'ping'->>'sent')::float8, 0) as loss,
      coalesce(newest.own->>5, newest.facts->'ping'->>'jitter_ms')::float8 as jitter_ms,
      coalesce(newest.own_measured->>0, newest.facts->'measured'->>'value')::float8 as measured,
      coalesce(s.shape->'facts'->'steps', newest.facts->'steps') as common_steps, newest.own_steps,
      coalesce(s.shape->'facts'->'addresses', newest.facts->'addresses'->'list') as addresses
    from unnest(
      ${cast.map(vote => vote.id)}::text[],
      ${cast.map(vote => vote.region)}::text[],
      ${cast.map(vote => vote.isGood)}::boolean[],
      ${cast.map(vote => instant(vote.asOf - checkMaxMs))}::timestamptz[],
      ${cast.map(vote => instant(vote.asOf))}::timestamptz[]
    ) as wanted (monitor_id, region, good, after, until)
    cross join lateral (
      select r.latency_ms, r.scheduled_at, r.shape, r.detail->'tls' as tls, r.detail->'own'->'ping' as own,
        r.detail->'facts' as facts,
        r.detail->'own'->>'steps' as own_steps, r.detail->'own'->'measured' as own_measured
      from check_results r
      where r.monitor_id = wanted.monitor_id
        and r.region = wanted.region
        and r.scheduled_at >= wanted.after
        and r.scheduled_at <= wanted.until
        and (not wanted.good or r.status in ('ok', 'warn'))
      -- A good check without a latency is one during which its agent stood still.
      order by wanted.good and r.latency_ms is null, r.scheduled_at desc, r.attempt desc
      limit 1
    ) as newest
    left join check_shapes s
      on s.monitor_id = wanted.monitor_id
        and s.day = date_trunc('day', newest.scheduled_at, 'UTC')
        and s.hash = newest.shape`;
  const found = new Map<string, [string, NewestCheck][]>();
  for (const row of rows) {
    const { monitor_id, region, latency_ms: latencyMs, loss, jitter_ms: jitterMs, measured } = row;
    const steps = row.common_steps === null ? [] : joinSteps(row.common_steps ?? [], row.own_steps ?? undefined);
    const [validTo, clientValidTo] = [instantOf(row.valid_to), instantOf(row.client_valid_to)];
    const addresses = row.addresses ?? [];
    const check = { latencyMs, validTo, clientValidTo, loss, jitterMs, measured, steps, addresses };
    found.set(monitor_id, [...(found.get(monitor_id) ?? []), [region, check]]);
  }
  return found;
}

/** Null for what is no instant. */
function instantOf(text: string | null): number | null {
  const ms = text === null ? Number.NaN : Date.parse(text);
  return Number.isFinite(ms) ? ms : null;
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

/** The project's channels, of which there are at most some hundreds. */
async function readChannels(sql: Sql, projectId: string): Promise<Facts['channels']> {
  return sql.rows`
    select c.id, c.name, c.type, c.failing_since is not null as failing
    from channels c
    where c.project_id = ${projectId}
    order by c.id`;
}
