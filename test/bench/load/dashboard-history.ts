import { instant } from '#control-plane/platform/db/sql.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { withSeries } from './with-series.ts';

type History = { projectId: string; monitorIds: readonly string[]; regions: readonly string[]; nowMs: number };

/** Writes the state of each monitor, the roll-up of its last two days, and a short outage in each of thirty days. */
export async function writeDashboardHistory(
  databaseUrl: string,
  { projectId, monitorIds, regions, nowMs }: History,
): Promise<void> {
  await withSeries(databaseUrl, async (sql, series) => {
    const fromMs = Math.floor(nowMs / hourMs) * hourMs - 2 * dayMs;
    await series.ensure('checks_hourly', [fromMs, fromMs + dayMs, fromMs + 2 * dayMs]);
    await sql.run`
      insert into checks_hourly (monitor_id, hour, region, ok, warn, err, latency_sum, latency_max, latency_bins)
      select monitor_id, hour, region, 59, 0, 1, 4200, 180,
        array_fill(0::smallint, array[18]) || array[30, 20, 9]::smallint[] || array_fill(0::smallint, array[27])
      from unnest(${[...monitorIds]}::text[]) as m (monitor_id)
      cross join generate_series(${instant(fromMs)}::timestamptz, ${instant(nowMs)}::timestamptz, '1 hour') as hour
      cross join unnest(${[...regions]}::text[]) as r (region)
      on conflict do nothing`;
    await sql.run`
      insert into verdict_changes (monitor_id, since, project_id, verdict, votes, config_version)
      select monitor_id, day + change.after, ${projectId}, change.verdict, '{}', 1
      from unnest(${[...monitorIds]}::text[]) as m (monitor_id)
      cross join generate_series(
        ${instant(nowMs - 31 * dayMs)}::timestamptz, ${instant(nowMs - dayMs)}::timestamptz, '1 day'
      ) as day
      cross join (values (interval '0', 'up'), (interval '10 hours', 'down'), (interval '10 hours 5 minutes', 'up'))
        as change (after, verdict)
      on conflict do nothing`;
    const vote = { vote: 'up', since: nowMs, as_of: nowMs, expires_at: null, failing_since: null, judged_at: nowMs };
    await sql.run`
      update monitor_states
      set verdict = 'up', since = ${instant(nowMs)},
        votes = ${JSON.stringify(Object.fromEntries(regions.map(region => [region, vote])))}
      where monitor_id = any(${[...monitorIds]}::text[])`;
    await sql.run`analyze checks_hourly`;
    await sql.run`analyze verdict_changes`;
  });
}
