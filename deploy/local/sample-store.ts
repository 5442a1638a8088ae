import { instant, type Sql } from '#control-plane/db/sql.ts';

/** A stretch of a made-up past, `startMs` to `endMs`. */
export type PastSpan = { verdict: 'down' | 'degraded'; startMs: number; endMs: number };

/** Gives a monitor a past: up since `fromMs` but for the spans, until its real history begins. */
export async function writePast(
  sql: Sql,
  monitorId: string,
  fromMs: number,
  spans: readonly PastSpan[],
): Promise<void> {
  const rows = [
    { since: fromMs, verdict: 'up' },
    ...spans.flatMap(span => [
      { since: span.startMs, verdict: span.verdict },
      { since: span.endMs, verdict: 'up' },
    ]),
  ];
  await sql.run(
    `insert into verdict_changes (monitor_id, since, project_id, verdict, votes, config_version)
     select m.id, row.since, m.project_id, row.verdict, '{}', 1 from monitors m, unnest($2::timestamptz[], $3::text[]) as row (since, verdict)
     where m.id = $1 on conflict do nothing`,
    [monitorId, rows.map(row => instant(row.since)), rows.map(row => row.verdict)],
  );
  await sql.run('update monitors set created_at = $2 where id = $1', [monitorId, instant(fromMs)]);
}

/** Moves an incident with its updates back in time: the last update at `endMs`, the others evenly before. */
export async function moveIncident(sql: Sql, id: string, startMs: number, endMs: number): Promise<void> {
  await sql.run(
    `update incident_updates u set posted_at = place.at, feed_at = date_trunc('second', place.at) from (
       select id, $2::timestamptz + (row_number() over (order by posted_at) * ($3::timestamptz - $2::timestamptz) / count(*) over ()) as at
       from incident_updates where incident_id = $1) as place
     where u.id = place.id`,
    [id, instant(startMs), instant(endMs)],
  );
  await sql.run(
    'update incidents set started_at = $2, created_at = $2, resolved_at = $3, updated_at = $3 where id = $1',
    [id, instant(startMs), instant(endMs)],
  );
}
