import type { Verdict } from '#shared/vocabulary.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';

/** The row in force of a monitor's history; null if it has none. */
export type LastRow = { since: number; verdict: Verdict } | null;

/**
 * Of the next `limit` monitors after `afterId` those whose state and history disagree, in id order, and the last id
 * that was looked at; null at the end.
 */
export async function findDisagreeing(
  sql: Sql,
  afterId: string,
  limit: number,
): Promise<{ disagreeing: string[]; lastId: string | null }> {
  const row = await sql.row<{ disagreeing: string[] | null; last_id: string | null }>`
    with portion as (
      select monitor_id, verdict, since
      from monitor_states
      where monitor_id > ${afterId}
      order by monitor_id
      limit ${limit}
    )
    select
      array_agg(portion.monitor_id order by portion.monitor_id) filter (
        where (portion.verdict, portion.since) is distinct from (last_row.verdict, last_row.since)
      ) as disagreeing,
      max(portion.monitor_id) as last_id
    from portion
    left join lateral (
      select verdict, since
      from verdict_changes c
      where c.monitor_id = portion.monitor_id
      order by since desc
      limit 1
    ) as last_row on true`;
  return { disagreeing: row?.disagreeing ?? [], lastId: row?.last_id ?? null };
}

export async function findLastRow(sql: Sql, monitorId: string): Promise<LastRow> {
  return sql.row<{ since: number; verdict: Verdict }>`
    select since, verdict
    from verdict_changes
    where monitor_id = ${monitorId}
    order by since desc
    limit 1`;
}

/**
 * Gives unresolved alerts that start with no down row of their monitor the start of the nearest one. Returns their ids;
 * those of monitors that were never down stay as they are.
 */
export async function realignAlerts(sql: Sql, untilMs: number): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    update alerts a
    set started_at = nearest.since
    from (
      select a.id, down.since
      from alerts a
      cross join lateral (
        select c.since
        from verdict_changes c
        where c.monitor_id = a.monitor_id and c.verdict = 'down'
        order by abs(extract(epoch from c.since - a.started_at))
        limit 1
      ) as down
      where a.kind = 'down'
        and a.state <> 'resolved'
        and a.created_at < ${instant(untilMs)}
        and down.since <> a.started_at
      for update of a skip locked
    ) as nearest
    where a.id = nearest.id
    returning a.id`;
  return rows.map(row => row.id);
}
