import type { Sql } from '../db/sql.ts';
import { appendFact } from '../facts/store.ts';
import { isHeld } from '../memberships/hold-store.ts';
import type { MonitorState } from '../monitors/state.ts';
import type { VerdictChange } from '../verdicts/timeline.ts';
import type { AlertSubject } from './clock-store.ts';
import { openAlertOf } from './open.ts';
import { resolveAlertOfKind } from './resolve.ts';
import { markFlapping, reopenLast } from './state-store.ts';
import type { Transition } from './transitions.ts';

/** Writes transitions with the facts that announce them. `votes` are those that count now. */
export async function applyTransitions(
  sql: Sql,
  state: MonitorState,
  subject: AlertSubject,
  transitions: readonly Transition[],
  votes: VerdictChange['votes'],
  nowMs: number,
): Promise<{ opened: number; resolved: number }> {
  const counts = { opened: 0, resolved: 0 };
  const { monitorId, projectId } = state;
  let openedDown: string | null = null;
  for (const transition of transitions)
    switch (transition.type) {
      case 'open': {
        const id = await openAlertOf(sql, state, { ...transition, votes }, subject, nowMs);
        if (id === null) break;
        counts.opened++;
        if (transition.kind === 'down') openedDown = id;
        break;
      }
      case 'reopen': {
        openedDown = await reopen(sql, { monitorId, projectId }, transition.at, nowMs);
        break;
      }
      case 'flap': {
        const id = await markFlapping(sql, monitorId, transition.since);
        if (id !== null) await announceUpdate(sql, { monitorId, projectId }, id, 'flapping', nowMs);
        break;
      }
      case 'resolve': {
        const supersededBy = transition.superseded ? openedDown : null;
        if (await resolveAlertOfKind(sql, state, { ...transition, supersededBy }, nowMs)) counts.resolved++;
        break;
      }
      default:
        transition satisfies never;
    }
  return counts;
}

/** In maintenance nobody is told of it: the end of the hold tells it. */
async function reopen(
  sql: Sql,
  monitor: { monitorId: string; projectId: string },
  atMs: number,
  nowMs: number,
): Promise<string | null> {
  const { monitorId, projectId } = monitor;
  const isCovered = await isHeld(sql, monitorId, atMs);
  const alert = await reopenLast(sql, monitorId, atMs, isCovered);
  if (alert === null) return null;
  const { id: subject, held, severity, title } = alert;
  if (!held) await announceUpdate(sql, monitor, subject, 'reopened', nowMs);
  else if (isCovered) {
    const payload = { monitor_id: monitorId, severity, title };
    await appendFact(sql, { kind: 'alert.held', projectId, subject, payload }, nowMs);
  }
  return subject;
}

function announceUpdate(
  sql: Sql,
  { monitorId, projectId }: { monitorId: string; projectId: string },
  subject: string,
  change: 'flapping' | 'reopened',
  nowMs: number,
): Promise<void> {
  return appendFact(
    sql,
    { kind: 'alert.updated', projectId, subject, payload: { monitor_id: monitorId, change } },
    nowMs,
  );
}
