import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { isLeftOut } from '../../platform/failures/store.ts';
import { isSuppressedAt } from '../memberships/suppression-store.ts';
import { membershipWindows } from '../memberships/window-store.ts';

/** Escalation of alerts that people know of pauses from the start of the window; if it is added later, from now on. */
const timerLagSeconds = 60;

/** An alert to be suppressed from `starts` on, when its window began. */
export type CoveredAlert = { id: string; project_id: string; starts: number };

/** Locks unresolved alerts that are not suppressed, of monitors in a window that suppresses them, in id order. */
export async function lockCovered(sql: Sql, nowMs: number): Promise<CoveredAlert[]> {
  const now = instant(nowMs);
  return sql.rows<CoveredAlert>`
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
    )
    select a.id, a.project_id, covered.starts
    from covered
    join alerts a on a.id = covered.id
    where a.resolved_at is null and not a.held and not ${isLeftOut('holds', fragment`a.id`, nowMs)}
    order by a.id
    for update of a skip locked`;
}

/** Suppresses locked alerts. */
export async function suppressAlerts(sql: Sql, covered: readonly CoveredAlert[], nowMs: number): Promise<void> {
  const now = instant(nowMs);
  await sql.run`
    update alerts a
    set held = true,
      held_since = case
        when free.starts < ${now}::timestamptz - ${timerLagSeconds} * interval '1 second' then ${now}::timestamptz
        else greatest(free.starts, coalesce(a.opened_at, a.created_at), a.reopened_at + interval '1 millisecond')
      end
    from unnest(
      ${covered.map(({ id }) => id)}::text[],
      ${covered.map(({ starts }) => instant(starts))}::timestamptz(3)[]
    ) as free (id, starts)
    where a.id = free.id`;
}

export type SuppressedAlert = {
  id: string;
  project_id: string;
  monitor_id: string;
  severity: string;
  title: string;
  held_since: number;
  told_at: number | null;
  /** It opened again while it was suppressed. */
  reopened: boolean;
};

/** Nobody was notified that the alert `a` opened again: that is what its suppression began with. */
const reopenedSuppressed = fragment`(a.held and a.reopened_at is not null and a.held_since = a.reopened_at)`;

/**
 * Locks suppressed, unresolved alerts that no window covers any more, but those that nobody was notified of and that
 * wait for the end of `settle_seconds`: they delay no other. Clocks of replicas differ: what is suppressed since a
 * later instant is in a window that has not begun here.
 */
export async function lockUncovered(sql: Sql, nowMs: number, limit: number): Promise<SuppressedAlert[]> {
  return sql.rows<SuppressedAlert>`
    select a.id, a.project_id, a.monitor_id, a.severity, a.title, coalesce(a.held_since, a.created_at) as held_since,
      a.told_at, ${reopenedSuppressed} as reopened
    from alerts a
    left join lateral (
      select w.ends + m.settle_seconds * interval '1 second' as release_at
      from ${membershipWindows}
      where b.monitor_id = a.monitor_id
        and m.alerts = 'hold'
        and w.starts < w.ends
        and w.ends <= ${instant(nowMs)}
        and w.ends > coalesce(a.held_since, a.created_at)
      order by w.ends desc, m.settle_seconds desc
      limit 1
    ) last on true
    where a.held
      and a.resolved_at is null
      and coalesce(a.held_since, a.created_at) <= ${instant(nowMs)}
      and not ${isSuppressedAt(fragment`a.monitor_id`, nowMs)}
      and not ${isLeftOut('holds', fragment`a.id`, nowMs)}
      and (
        a.told_at is not null and not ${reopenedSuppressed}
        or last.release_at is null
        or last.release_at <= ${instant(nowMs)}
      )
    order by a.id
    limit ${limit}
    for update of a skip locked`;
}

/** People are notified of the alert as if it had opened at `releasedAt`: escalation counts from there. */
export async function releaseAlert(sql: Sql, id: string, releasedAt: number): Promise<void> {
  await sql.run`
    update alerts
    set held = false, released_at = ${instant(releasedAt)}, told_at = ${instant(releasedAt)}
    where id = ${id}`;
}

/** An alert that people knew of goes on: its escalation paused from the start of the suppression to the end. */
export async function resumeAlert(sql: Sql, { id, held_since }: SuppressedAlert, endMs: number): Promise<void> {
  await sql.run`
    update alerts
    set held = false, held_ms = held_ms + ${Math.max(0, endMs - held_since)}
    where id = ${id}`;
}

/** Enabled monitors with an unresolved alert that an occurrence suppressed until the instant. */
export async function listSuppressedMonitors(
  sql: Sql,
  occurrenceId: string,
  endMs: number,
): Promise<{ id: string; project_id: string; config_version: number; regions: string[] }[]> {
  return sql.rows`
    select distinct on (s.id) s.id, s.project_id, s.config_version,
      coalesce(s.able_regions, s.regions) as regions
    from ${membershipWindows}
    join monitors s on s.id = b.monitor_id and s.enabled and s.deleted_at is null
    join alerts a on a.monitor_id = b.monitor_id and a.held and a.resolved_at is null
    where o.id = ${occurrenceId}
      and w.ends = ${instant(endMs)}
    order by s.id
    limit 1000`;
}

/** Whether anybody was notified that the alert is open: suppression may have prevented it. */
export async function wasNotified(sql: Sql, id: string): Promise<boolean> {
  const row = await sql.row`
    select 1
    from alerts a
    where a.id = ${id}
      and (a.told_at is not null or not a.held)
      and not ${reopenedSuppressed}`;
  return row !== null;
}
