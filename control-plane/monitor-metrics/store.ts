import { minuteMs } from '#shared/duration.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Labels } from '../monitors/labels.ts';
import type { Votes } from '../monitors/state.ts';
import { monitorSubject, selectorCondition } from '../selectors/compile.ts';
import type { Selector } from '../selectors/selector.ts';
import type { Row } from '../uptime/uptime.ts';
import type { Facts } from './families.ts';

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

/** Counts the project's monitors that match. */
export async function countMatching(sql: Sql, projectId: string, selector: Selector | null): Promise<number> {
  const [row] = await sql.once<{ count: number }>`
    select count(*)
    from monitors m
    where m.project_id = ${projectId}
      and m.deleted_at is null
      and ${selectorCondition(selector, monitorSubject)}`;
  return row?.count ?? 0;
}

/** Reads everything in one snapshot. Must be the first of its transaction. `fromMs` is the start of the histories. */
export async function readFacts(
  sql: Sql,
  projectId: string,
  selector: Selector | null,
  fromMs: number,
): Promise<Facts> {
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
  const histories = await readHistories(sql, projectId, ids, fromMs);
  const latencies = await readLatencies(sql, monitors);
  return {
    monitors: monitors.map(monitor => ({
      ...monitor,
      history: histories.get(monitor.id) ?? [],
      latencies: Object.fromEntries(latencies.get(monitor.id) ?? []),
    })),
    alerts: await sql.rows`
      select monitor_id, severity, state
      from alerts
      where project_id = ${projectId}
        and state <> 'resolved'
        and monitor_id = any(${ids}::text[])
      order by monitor_id`,
    agents: await readAgents(sql, projectId),
  };
}

async function readHistories(
  sql: Sql,
  projectId: string,
  ids: readonly string[],
  fromMs: number,
): Promise<Map<string, Row[]>> {
  const rows = await sql.rows<Row & { monitor_id: string }>`
    select c.monitor_id, c.since, c.verdict
    from unnest(${ids}::text[]) as wanted (id)
    join verdict_changes c on c.monitor_id = wanted.id
    where c.project_id = ${projectId}
      and c.since >= coalesce(
        (
          select max(first.since)
          from verdict_changes first
          where first.monitor_id = wanted.id and first.since <= ${instant(fromMs)}
        ),
        ${instant(fromMs)}
      )
    order by c.monitor_id, c.since`;
  const histories = new Map<string, Row[]>();
  for (const { monitor_id, ...row } of rows) {
    const history = histories.get(monitor_id);
    if (history === undefined) histories.set(monitor_id, [row]);
    else history.push(row);
  }
  return histories;
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
