import { fragment, instant, type Sql } from '../db/sql.ts';
import { isHeldAt } from '../memberships/hold-store.ts';
import { membershipWindows } from '../memberships/window-store.ts';

/** Clocks of alerts that were told stand still from the start of the window, of one that is added later from now. */
const timerLagSeconds = 60;

/** Holds unresolved alerts of monitors that are in a window that holds; each once. Returns how many. */
export async function holdCovered(sql: Sql, nowMs: number): Promise<number> {
  const now = instant(nowMs);
  return sql.run`
    with covered as (
      select a.id, min(w.starts) as starts
      from maintenances m
      join maintenance_occurrences o on o.maintenance_id = m.id and o.due_at is not null and o.starts_at <= ${now}
      join maintenance_members b on b.maintenance_id = m.id
      cross join lateral (
        select
          greatest(b.from_at, o.starts_at) as starts,
          least(coalesce(b.until_at, 'infinity'), o.ends_at, coalesce(o.cancelled_at, 'infinity')) as ends
      ) w
      join alerts a on a.monitor_id = b.monitor_id and a.resolved_at is null and not a.held
      where m.alerts = 'hold'
        and m.deleted_at is null
        and w.starts <= ${now}
        and w.ends > ${now}
      group by a.id
    ), free as (
      select a.id, covered.starts
      from covered
      join alerts a on a.id = covered.id
      where a.resolved_at is null and not a.held
      order by a.id
      for update of a skip locked
    )
    update alerts a
    set held = true,
      held_since = case
        when free.starts < ${now}::timestamptz - ${timerLagSeconds} * interval '1 second' then ${now}::timestamptz
        else greatest(free.starts, coalesce(a.opened_at, a.created_at))
      end
    from free
    where a.id = free.id`;
}

export type HeldAlert = {
  id: string;
  project_id: string;
  monitor_id: string;
  severity: string;
  title: string;
  held_since: number;
  told_at: number | null;
};

/** Locks held, unresolved alerts that no window covers any more. */
export async function lockUncovered(sql: Sql, nowMs: number, limit: number): Promise<HeldAlert[]> {
  return sql.rows<HeldAlert>`
    select a.id, a.project_id, a.monitor_id, a.severity, a.title, coalesce(a.held_since, a.created_at) as held_since,
      a.told_at
    from alerts a
    where a.held
      and a.resolved_at is null
      and not ${isHeldAt(fragment`a.monitor_id`, nowMs)}
    order by a.id
    limit ${limit}
    for update of a skip locked`;
}

/** The alert is told now as if it had opened at `releasedAt`: every clock of telling starts there. */
export async function releaseAlert(sql: Sql, id: string, releasedAt: number): Promise<void> {
  await sql.run`
    update alerts
    set held = false, released_at = ${instant(releasedAt)}, told_at = ${instant(releasedAt)}
    where id = ${id}`;
}

/** An alert that was told before goes on: its clocks stood still from the hold's start to its end. */
export async function resumeAlert(sql: Sql, { id, held_since }: HeldAlert, endMs: number): Promise<void> {
  await sql.run`
    update alerts
    set held = false, held_ms = held_ms + ${Math.max(0, endMs - held_since)}
    where id = ${id}`;
}

/** Enabled monitors with an unresolved alert that an occurrence held until the instant. */
export async function listHeldMonitors(
  sql: Sql,
  occurrenceId: string,
  endMs: number,
): Promise<{ id: string; project_id: string; config_version: number; regions: string[] }[]> {
  return sql.rows`
    select distinct on (s.id) s.id, s.project_id, s.config_version, s.regions
    from ${membershipWindows}
    join monitors s on s.id = b.monitor_id and s.enabled and s.deleted_at is null
    join alerts a on a.monitor_id = b.monitor_id and a.held and a.resolved_at is null
    where o.id = ${occurrenceId}
      and w.ends = ${instant(endMs)}
    order by s.id
    limit 1000`;
}

/** Whether anybody was told of the alert, which a hold may have kept from them. */
export async function wasTold(sql: Sql, id: string): Promise<boolean> {
  const row = await sql.row`
    select 1
    from alerts
    where id = ${id} and (told_at is not null or not held)`;
  return row !== null;
}
