import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Span, SuppressedSpan } from './window.ts';

/** When the effect of the occurrence `o` ends. */
export const effectEnd = fragment`least(o.ends_at, coalesce(o.cancelled_at, 'infinity'))`;

/** Memberships `b` of maintenances `m` with their occurrences `o`, and what they have in common: `starts`, `ends`. */
export const membershipWindows = fragment`
  maintenance_members b
  join maintenances m on m.id = b.maintenance_id and m.deleted_at is null
  join maintenance_occurrences o on o.maintenance_id = m.id
  cross join lateral (
    select
      greatest(b.from_at, o.starts_at) as starts,
      least(coalesce(b.until_at, 'infinity'), ${effectEnd}) as ends
  ) w`;

type WindowRow = { monitor_id: string; starts: number; ends: number; settle_seconds: number };

function listWindows(
  sql: Sql,
  monitorIds: readonly string[],
  { from, to }: { from: number; to: number },
  which: Fragment,
): Promise<WindowRow[]> {
  return sql.rows<WindowRow>`
    select b.monitor_id, w.starts, w.ends, m.settle_seconds
    from ${membershipWindows}
    where b.monitor_id = any(${monitorIds}::text[])
      and ${which}
      and w.starts < w.ends
      and w.starts < ${instant(to)}
      and w.ends > ${instant(from)}
    order by w.starts`;
}

/** The times in [from, to) that do not count in the uptime of these monitors, by monitor. */
export async function listExcluded(
  sql: Sql,
  monitorIds: readonly string[],
  from: number,
  to: number,
): Promise<Map<string, Span[]>> {
  if (monitorIds.length === 0) return new Map();
  const rows = await listWindows(sql, monitorIds, { from, to }, fragment`m.exclude_from_uptime`);
  const spans = Map.groupBy(rows, row => row.monitor_id);
  return new Map([...spans].map(([id, rows]) => [id, rows.map(({ starts, ends }) => ({ start: starts, end: ends }))]));
}

/** The times after an instant in which alerts of a monitor are suppressed. */
export async function listSuppressions(
  sql: Sql,
  monitorId: string,
  from: number,
  to: number,
): Promise<SuppressedSpan[]> {
  const rows = await listWindows(sql, [monitorId], { from, to }, fragment`m.alerts = 'hold'`);
  return rows.map(({ starts, ends, settle_seconds }) => ({
    start: starts,
    end: ends,
    settleMs: settle_seconds * 1000,
  }));
}

/** The window that a monitor is in. */
export type CurrentWindow = { monitor_id: string; maintenance_id: string; occurrence_id: string; ends_at: number };

/** Of each of the monitors that is in a window at the instant the window that lasts longest. */
export async function listCurrentWindows(
  sql: Sql,
  monitorIds: readonly string[],
  atMs: number,
): Promise<Map<string, CurrentWindow>> {
  if (monitorIds.length === 0) return new Map();
  const rows = await sql.rows<CurrentWindow>`
    select distinct on (b.monitor_id) b.monitor_id, m.id as maintenance_id, o.id as occurrence_id, o.ends_at
    from ${membershipWindows}
    where b.monitor_id = any(${monitorIds}::text[])
      and w.starts <= ${instant(atMs)}
      and w.ends > ${instant(atMs)}
    order by b.monitor_id, o.ends_at desc, o.id`;
  return new Map(rows.map(row => [row.monitor_id, row]));
}

/** Whether a monitor is in a window at an instant, as a condition. */
export function isMemberAt(monitorId: Fragment, at: Fragment): Fragment {
  return fragment`
    exists (
      select
      from ${membershipWindows}
      where b.monitor_id = ${monitorId}
        and w.starts <= ${at}
        and w.ends > ${at}
    )`;
}

/** Whether the component `c` is in the scope of a window at an instant, by itself or with its page. */
export function isInScopeAt(at: Fragment): Fragment {
  return fragment`
    exists (
      select
      from maintenances m
      join maintenance_occurrences o on o.maintenance_id = m.id
      where m.project_id = c.project_id
        and m.deleted_at is null
        and (c.id = any(m.component_ids) or c.status_page_id = any(m.status_page_ids))
        and o.starts_at <= ${at}
        and ${effectEnd} > ${at}
    )`;
}
