import { instant, type Sql } from '#control-plane/platform/db/sql.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { withSeries } from './with-series.ts';

/** The length of the history, today not included. */
export const uptimeDays = 90;
const monitorsPerStatement = 10;

/**
 * Writes the hourly roll-up and the verdicts of 90 days for each monitor: a check per minute and region, and every
 * week an outage of ten minutes.
 */
export async function writeUptime(
  databaseUrl: string,
  { monitorIds, regions, nowMs }: { monitorIds: readonly string[]; regions: readonly string[]; nowMs: number },
  progress: (line: string) => void,
): Promise<void> {
  await withSeries(databaseUrl, async (sql, series) => {
    const endMs = Math.floor(nowMs / hourMs) * hourMs;
    const startMs = Math.floor(nowMs / dayMs) * dayMs - uptimeDays * dayMs;
    await series.ensure(
      'checks_hourly',
      Array.from({ length: uptimeDays + 1 }, (_, day) => startMs + day * dayMs),
    );
    for (let first = 0; first < monitorIds.length; first += monitorsPerStatement) {
      const some = monitorIds.slice(first, first + monitorsPerStatement);
      await writeHours(sql, some, regions, startMs, endMs);
      await writeVerdicts(sql, some, startMs, endMs);
      if (first % 100 === 0) progress(`${first} of ${monitorIds.length} monitors have a history`);
    }
    await sql.run`analyze checks_hourly`;
    await sql.run`analyze verdict_changes`;
  });
}

async function writeHours(
  sql: Sql,
  monitorIds: readonly string[],
  regions: readonly string[],
  startMs: number,
  endMs: number,
): Promise<void> {
  await sql.run`
    insert into checks_hourly (
      monitor_id, hour, region, ok, warn, err, latency_sum, latency_max, latency_bins
    )
    select
      monitor_id, hour, region, 59, 0, 1, 4200, 180,
      array_fill(0::smallint, array[18]) || array[30, 20, 9]::smallint[] || array_fill(0::smallint, array[27])
    from unnest(${monitorIds}::text[]) as m (monitor_id)
    cross join generate_series(
      ${instant(startMs)}::timestamptz,
      ${instant(endMs - hourMs)}::timestamptz,
      interval '1 hour'
    ) as hour
    cross join unnest(${regions}::text[]) as r (region)
    order by 1, 2, 3`;
}

async function writeVerdicts(sql: Sql, monitorIds: readonly string[], startMs: number, endMs: number): Promise<void> {
  await sql.run`
    insert into verdict_changes (monitor_id, since, project_id, verdict, votes, config_version)
    select id, since, project_id, verdict, '{}', 1
    from monitors
    cross join lateral (
      select week as since, 'up' as verdict
      from generate_series(${instant(startMs)}::timestamptz, ${instant(endMs)}::timestamptz, interval '7 days') as week
      union all
      select week - interval '10 minutes', 'down'
      from generate_series(
        ${instant(startMs + 7 * dayMs)}::timestamptz,
        ${instant(endMs)}::timestamptz,
        interval '7 days'
      ) as week
    ) as change
    where id = any(${monitorIds}::text[])`;
}
