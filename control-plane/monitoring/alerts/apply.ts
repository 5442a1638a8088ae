import type { Sql } from '../../platform/db/sql.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import type { VerdictChange } from '../verdicts/timeline.ts';
import type { AlertSubject } from './clock-store.ts';
import { openAlertOf } from './open.ts';
import { announceUpdate, reopenAlert } from './reopen.ts';
import { resolveAlertOfKind } from './resolve.ts';
import { markFlapping } from './state-store.ts';
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
        openedDown = await reopenAlert(sql, { monitorId, projectId }, 'down', transition.at, nowMs);
        break;
      }
      case 'flap': {
        const id = await markFlapping(sql, monitorId, 'down', transition.since);
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
