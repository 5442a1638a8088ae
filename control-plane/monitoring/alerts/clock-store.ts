import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { isLeftOut } from '../../platform/failures/store.ts';
import { type AlertRules, toAlertRules } from '../monitors/alert-rules.ts';
import type { Labels } from '../monitors/labels/labels.ts';
import type { AlertPolicy } from '../monitors/monitor.ts';
import type { ClockHistory, ClockRow } from './clocks.ts';
import type { AlertMemory } from './transitions.ts';

/** What alerts take from their monitor. `history` is null without rules of its own. */
export type AlertSubject = {
  name: string;
  url: string;
  policy: AlertPolicy;
  labels: Labels;
  rules: AlertRules;
  rulesVersion: number;
  history: ClockHistory | null;
};

/** Deleted monitors included; null if there is none. */
export async function findSubject(sql: Sql, monitorId: string): Promise<AlertSubject | null> {
  const row = await sql.row<Omit<AlertSubject, 'rules'> & { rules: unknown }>`
    select m.name, m.url, m.alert_policy as policy, m.labels, m.alert_rules as rules, m.rules_version as "rulesVersion",
      c.history
    from monitors m
    left join alert_clocks c on c.monitor_id = m.id
    where m.id = ${monitorId}`;
  return row === null ? null : { ...row, rules: toAlertRules(row.rules) };
}

type MemoryRow = {
  kind: 'down' | 'degraded';
  started_at: number;
  resolved_at: number | null;
  flapping_since: number | null;
  is_open: boolean;
  opened_at: number;
};

/** The unresolved alerts of a monitor, its last resolved `down` one, and when the last `down` one opened. */
export async function readMemory(sql: Sql, monitorId: string): Promise<AlertMemory & { downOpenedAt: number | null }> {
  const rows = await sql.rows<MemoryRow>`
    (
      select a.kind, a.started_at, a.resolved_at, a.flapping_since, true as is_open,
        coalesce(a.opened_at, a.created_at) as opened_at
      from alerts a
      where a.monitor_id = ${monitorId} and a.kind not in ('certificate', 'domain') and a.current_state <> 'resolved'
    )
    union all
    (
      select a.kind, a.started_at, a.resolved_at, a.flapping_since, false,
        greatest(coalesce(a.opened_at, a.created_at), a.reopened_at)
      from alerts a
      where a.monitor_id = ${monitorId} and a.kind = 'down' and a.state = 'resolved'
      order by a.started_at desc
      limit 1
    )`;
  const open = (kind: string) => rows.find(row => row.is_open && row.kind === kind);
  const [down, degraded] = [open('down'), open('degraded')];
  const last = rows.find(row => !row.is_open);
  return {
    down: down === undefined ? null : { startedAt: down.started_at, flappingSince: down.flapping_since },
    degraded: degraded === undefined ? null : { startedAt: degraded.started_at },
    lastDown:
      last === undefined || last.resolved_at === null
        ? null
        : { startedAt: last.started_at, resolvedAt: last.resolved_at, flappingSince: last.flapping_since },
    downOpenedAt: down?.opened_at ?? last?.opened_at ?? null,
  };
}

/** The latest rows of the history that start before the instant, in order. */
export async function listClockRows(sql: Sql, monitorId: string, beforeMs: number): Promise<ClockRow[]> {
  const rows = await sql.rows<ClockRow>`
    select verdict, since
    from verdict_changes
    where monitor_id = ${monitorId} and since < ${instant(beforeMs)}
    order by since desc
    limit 1000`;
  return rows.toReversed();
}

export async function writeClocks(
  sql: Sql,
  { monitorId, projectId }: { monitorId: string; projectId: string },
  history: ClockHistory,
  dueAt: number | null,
): Promise<void> {
  await sql.run`
    insert into alert_clocks (monitor_id, project_id, history, due_at)
    values (${monitorId}, ${projectId}, ${JSON.stringify(history)}, ${instant(dueAt)})
    on conflict (monitor_id) do update
    set history = excluded.history, due_at = excluded.due_at`;
}

export async function moveClocks(
  sql: Sql,
  monitorId: string,
  history: ClockHistory,
  dueAt: number | null,
): Promise<void> {
  await sql.run`
    update alert_clocks
    set history = ${JSON.stringify(history)}, due_at = ${instant(dueAt)}
    where monitor_id = ${monitorId}`;
}

export async function deleteClocks(sql: Sql, monitorId: string): Promise<void> {
  await sql.run`delete from alert_clocks where monitor_id = ${monitorId}`;
}

/** Monitors whose clocks are due, unless a vote of theirs has to expire first. */
export async function listDueClocks(sql: Sql, dueMs: number, limit: number): Promise<string[]> {
  const rows = await sql.rows<{ monitor_id: string }>`
    select c.monitor_id
    from alert_clocks c
    join monitor_states s on s.monitor_id = c.monitor_id
    where c.due_at <= ${instant(dueMs)}
      and (s.sweep_at is null or s.sweep_at > c.due_at)
      and not ${isLeftOut('alerts', fragment`c.monitor_id`, dueMs)}
    order by c.due_at
    limit ${limit}`;
  return rows.map(row => row.monitor_id);
}
