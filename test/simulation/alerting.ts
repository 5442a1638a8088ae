import { historyOf } from '#control-plane/monitoring/alerts/clocks.ts';
import { retimed } from '#control-plane/monitoring/alerts/retime.ts';
import {
  type AlertMemory,
  type AlertStanding,
  advanceAlerts,
  type Followed,
  followVerdict,
  nextAlertDue,
  plainEffectOf,
  type Transition,
} from '#control-plane/monitoring/alerts/transitions.ts';
import { type AlertRules, defaultAlertRules } from '#control-plane/monitoring/monitors/alert-rules.ts';
import type { MonitorState } from '#control-plane/monitoring/monitors/state/state.ts';
import type { VerdictChange } from '#control-plane/monitoring/verdicts/timeline.ts';
import type { AlertRow, Rows } from './rows.ts';

/** Opens and resolves alerts by a row of the history, as `evaluateFlip` does. */
export function followVerdictRow(rows: Rows, before: MonitorState, change: VerdictChange, nowMs: number): void {
  const { monitorId } = before;
  const rules = rulesOf(rows, monitorId);
  const decidedAt = change.decision?.at ?? change.since;
  const { verdict, since } = change;
  if (rules === defaultAlertRules) {
    const at = change.decision?.at ?? nowMs;
    const effect = plainEffectOf(verdict);
    if (effect === 'open') openAlert(rows, monitorId, { kind: 'down', at, startedAt: since });
    if (effect === 'resolve') resolveAlert(rows, monitorId, 'down', since, false);
    return;
  }
  const standing = standingOf(rows, monitorId, before.verdict, since);
  finish(rows, monitorId, rules, followVerdict(standing, rules, { verdict, since, decidedAt }));
}

/** What time alone brings about, as `sweepAlerts` does. */
export function sweepAlerts(rows: Rows, dueMs: number, nowMs: number): void {
  for (const monitorId of [...rows.clocks.keys()]) {
    const state = rows.states.get(monitorId);
    const dueAt = rows.clocks.get(monitorId)?.dueAt ?? null;
    if (state === undefined || dueAt === null || dueAt > dueMs) continue;
    if (state.sweepAt !== null && state.sweepAt <= dueAt) continue;
    const rules = rulesOf(rows, monitorId);
    const standing = standingOf(rows, monitorId, state.verdict, nowMs + 1);
    finish(rows, monitorId, rules, advanceAlerts(standing, rules, dueMs));
  }
}

/** Moves alerts and clocks with the rows that they follow, as the hook `historyMoved` does. */
export function followMovedRows(
  rows: Rows,
  monitorId: string,
  before: readonly VerdictChange[],
  after: readonly VerdictChange[],
): void {
  const first = before[0];
  if (first === undefined) return;
  for (const alert of alertsOf(rows, monitorId)) {
    if (alert.resolvedAt !== null && alert.resolvedAt < first.since) continue;
    const { kind, superseded, startedAt: started_at, resolvedAt: resolved_at } = alert;
    if (kind === 'certificate') continue;
    const moved = retimed({ kind, superseded, started_at, resolved_at }, before, after);
    const starts = (row: VerdictChange) => row.verdict === kind && row.since === moved.started_at;
    const isOrphan = before.some(starts) ? !after.some(starts) : alert.isOrphan;
    rows.alerts.put(alert.id, { ...alert, startedAt: moved.started_at, resolvedAt: moved.resolved_at, isOrphan });
  }
  const clock = rows.clocks.get(monitorId);
  if (clock === undefined) return;
  rows.clocks.delete(monitorId);
  const standing = standingOf(rows, monitorId, 'pending', (after.at(-1)?.since ?? 0) + 1);
  rows.clocks.put(monitorId, {
    history: standing.history,
    dueAt: nextAlertDue(standing, rulesOf(rows, monitorId)),
  });
}

export function alertsOf(rows: Rows, monitorId: string): AlertRow[] {
  return [...rows.alerts.values()].filter(alert => alert.monitorId === monitorId);
}

function rulesOf(rows: Rows, monitorId: string): AlertRules {
  return rows.monitors.get(monitorId)?.alertRules ?? defaultAlertRules;
}

function finish(rows: Rows, monitorId: string, rules: AlertRules, { standing, transitions }: Followed): void {
  for (const transition of transitions) apply(rows, monitorId, transition);
  rows.clocks.put(monitorId, { history: standing.history, dueAt: nextAlertDue(standing, rules) });
}

function apply(rows: Rows, monitorId: string, transition: Transition): void {
  switch (transition.type) {
    case 'open':
      return openAlert(rows, monitorId, transition);
    case 'resolve':
      return resolveAlert(rows, monitorId, transition.kind, transition.resolvedAt, transition.superseded);
    case 'reopen':
      return reopenAlert(rows, monitorId, 'down', transition.at);
    case 'flap':
      return markFlapping(rows, monitorId, 'down', transition.since);
    default:
      return transition satisfies never;
  }
}

export function reopenAlert(rows: Rows, monitorId: string, kind: 'down' | 'certificate', at: number): void {
  const last = lastResolved(rows, monitorId, kind);
  if (last === undefined) return;
  rows.alerts.put(last.id, { ...last, resolvedAt: null, reopenedAt: at });
  announce(rows, 'alert.reopened', last.id);
}

export function markFlapping(rows: Rows, monitorId: string, kind: 'down' | 'certificate', since: number): void {
  const alert = unresolved(rows, monitorId, kind);
  if (alert === undefined || alert.flappingSince !== null) return;
  rows.alerts.put(alert.id, { ...alert, flappingSince: since });
  announce(rows, 'alert.flapping', alert.id);
}

/** The unique index of unresolved alerts lets nothing happen if there is one of the kind. */
export function openAlert(
  rows: Rows,
  monitorId: string,
  opening: Pick<AlertRow, 'kind' | 'startedAt'> & { at: number },
): void {
  const { kind, startedAt, at: openedAt } = opening;
  if (rows.hasAlertIndex && unresolved(rows, monitorId, kind) !== undefined) return;
  const id = rows.newId('alert');
  const untouched = { resolvedAt: null, flappingSince: null, reopenedAt: null, superseded: false, isOrphan: false };
  rows.alerts.put(id, { id, monitorId, kind, startedAt, openedAt, ...untouched });
  announce(rows, 'alert.opened', id);
}

export function resolveAlert(
  rows: Rows,
  monitorId: string,
  kind: AlertRow['kind'],
  at: number,
  superseded: boolean,
): void {
  const alert = unresolved(rows, monitorId, kind);
  if (alert === undefined) return;
  rows.alerts.put(alert.id, { ...alert, resolvedAt: Math.max(at, alert.startedAt), superseded });
  if (!superseded) announce(rows, 'alert.resolved', alert.id);
}

function announce(rows: Rows, kind: string, alertId: string): void {
  const id = rows.newId('fact');
  rows.facts.put(id, { id, kind, alertId, done: false });
}

function unresolved(rows: Rows, monitorId: string, kind: AlertRow['kind']): AlertRow | undefined {
  return alertsOf(rows, monitorId).find(alert => alert.kind === kind && alert.resolvedAt === null);
}

function lastResolved(rows: Rows, monitorId: string, kind: AlertRow['kind']): AlertRow | undefined {
  return alertsOf(rows, monitorId)
    .filter(alert => alert.kind === kind && alert.resolvedAt !== null)
    .sort((left, right) => right.startedAt - left.startedAt)[0];
}

/** The clocks as stored, or from the rows before `untilMs`, as `readStanding` does. */
function standingOf(rows: Rows, monitorId: string, verdict: MonitorState['verdict'], untilMs: number): AlertStanding {
  const [down, degraded, last] = [
    unresolved(rows, monitorId, 'down'),
    unresolved(rows, monitorId, 'degraded'),
    lastResolved(rows, monitorId, 'down'),
  ];
  const memory: AlertMemory = {
    down: down === undefined ? null : { startedAt: down.startedAt, flappingSince: down.flappingSince },
    degraded: degraded === undefined ? null : { startedAt: degraded.startedAt },
    lastDown:
      last === undefined || last.resolvedAt === null
        ? null
        : { startedAt: last.startedAt, resolvedAt: last.resolvedAt, flappingSince: last.flappingSince },
  };
  const stored = rows.clocks.get(monitorId)?.history;
  if (stored !== undefined && stored.rows.at(-1)?.verdict === verdict) return { history: stored, memory };
  const before = (rows.changes.get(monitorId) ?? []).filter(({ since }) => since < untilMs);
  const lastOpened = last === undefined ? null : Math.max(last.openedAt, last.reopenedAt ?? 0);
  return { history: historyOf(before, down?.openedAt ?? lastOpened), memory };
}
