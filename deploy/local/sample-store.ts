import { instant, type Sql } from '#control-plane/platform/db/sql.ts';

/** A span of sample history, from `startMs` to `endMs`. */
export type VerdictSpan = { verdict: 'down' | 'degraded'; startMs: number; endMs: number };

/** All regions voted alike. */
const votesOf: Readonly<Record<string, string>> = { up: 'up', degraded: 'warn', down: 'down' };

/** Inserts sample history of a monitor: up since `fromMs`, except for the spans, until its real history begins. */
export async function insertVerdictHistory(
  sql: Sql,
  monitorId: string,
  fromMs: number,
  spans: readonly VerdictSpan[],
): Promise<void> {
  const changes = [
    { since: fromMs, verdict: 'up' },
    ...spans.flatMap(span => [
      { since: span.startMs, verdict: span.verdict },
      { since: span.endMs, verdict: 'up' },
    ]),
  ];
  const instants = changes.map(change => instant(change.since));
  const verdicts = changes.map(change => change.verdict);
  const votes = verdicts.map(verdict => votesOf[verdict] ?? 'unknown');
  await sql.run`
    insert into verdict_changes (monitor_id, since, project_id, verdict, votes, config_version)
    select m.id, change.since, m.project_id, change.verdict,
      (
        select coalesce(json_object_agg(region, change.vote), '{}')
        from unnest(coalesce(m.able_regions, m.regions)) as region
      ),
      1
    from monitors m,
      unnest(${instants}::timestamptz[], ${verdicts}::text[], ${votes}::text[]) as change (since, verdict, vote)
    where m.id = ${monitorId}
    on conflict do nothing`;
  await backdateMonitor(sql, monitorId, fromMs);
}

/** Moves an incident and its updates back in time: the last update to `endMs`, the others evenly before it. */
export async function backdateIncident(sql: Sql, id: string, startMs: number, endMs: number): Promise<void> {
  await backdateUpdates(sql, id, startMs, endMs);
  await sql.run`
    update incidents
    set started_at = ${instant(startMs)}, created_at = ${instant(startMs)},
      resolved_at = ${instant(endMs)}, updated_at = ${instant(endMs)}
    where id = ${id}`;
}

async function backdateMonitor(sql: Sql, id: string, createdMs: number): Promise<void> {
  await sql.run`update monitors set created_at = ${instant(createdMs)} where id = ${id}`;
}

async function backdateUpdates(sql: Sql, incidentId: string, startMs: number, endMs: number): Promise<void> {
  await sql.run`
    with span as (select ${instant(startMs)}::timestamptz as start, ${instant(endMs)}::timestamptz as stop),
    moved as (
      select u.id,
        span.start + row_number() over (order by u.posted_at) * (span.stop - span.start) / count(*) over () as at
      from incident_updates u, span
      where u.incident_id = ${incidentId}
    )
    update incident_updates u
    set posted_at = moved.at, feed_at = date_trunc('second', moved.at)
    from moved
    where u.id = moved.id`;
}
