import { instant, type Sql } from '../../platform/db/sql.ts';
import { membershipWindows } from '../memberships/window-store.ts';

/**
 * The uptime of monitors of a project over the time before now, as `…/uptime` has it: without what is excluded.
 * Monitors of which nothing was observed are left out. Summed where the rows are: a monitor may have very many.
 */
export async function readUptimeRatios(
  sql: Sql,
  projectId: string,
  ids: readonly string[],
  lengthMs: number,
  nowMs: number,
): Promise<Map<string, number>> {
  const [from, to] = [instant(nowMs - lengthMs), instant(nowMs)];
  const rows = await sql.rows<{ monitor_id: string; uptime: number }>`
    with spans as (
      select c.monitor_id, c.verdict, greatest(c.since, ${from}::timestamptz) as began,
        lead(c.since, 1, ${to}::timestamptz) over (partition by c.monitor_id order by c.since) as ended
      from unnest(${[...ids]}::text[]) as wanted (id)
      join verdict_changes c on c.monitor_id = wanted.id
      where c.project_id = ${projectId}
        and c.since < ${to}
        and c.since >= coalesce(
          (
            select max(first.since)
            from verdict_changes first
            where first.monitor_id = wanted.id and first.since <= ${from}
          ),
          ${from}
        )
    ),
    excluded as (
      select b.monitor_id, range_agg(tstzrange(w.starts, w.ends)) as windows
      from ${membershipWindows}
      where b.monitor_id = any(${[...ids]}::text[])
        and m.exclude_from_uptime
        and w.starts < w.ends
        and w.starts < ${to}
        and w.ends > ${from}
      group by b.monitor_id
    ),
    parts as (
      select spans.monitor_id, spans.verdict,
        case
          when excluded.windows is null then extract(epoch from spans.ended - spans.began)
          else (
            select sum(extract(epoch from upper(part) - lower(part)))
            from unnest(tstzmultirange(tstzrange(spans.began, spans.ended)) - excluded.windows) as part
          )
        end as seconds
      from spans
      left join excluded on excluded.monitor_id = spans.monitor_id
      where spans.verdict in ('up', 'degraded', 'down') and spans.ended > spans.began
    )
    select monitor_id,
      coalesce(sum(seconds) filter (where verdict <> 'down'), 0)::float8 / sum(seconds)::float8 as uptime
    from parts
    group by monitor_id
    having sum(seconds) > 0`;
  return new Map(rows.map(row => [row.monitor_id, row.uptime]));
}
