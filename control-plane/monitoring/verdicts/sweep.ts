import type pg from 'pg';
import { attempt, isCareful, transactionByItem } from '../../platform/failures/by-item.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import { writeStates } from '../monitors/state/state-store.ts';
import { applyEachChange, type JudgedState, tryAgainMs } from './apply-each.ts';
import type { VerdictHooks } from './hooks.ts';

import { readQuarantines } from './region-fault-store.ts';
import { lockDueStates } from './store.ts';
import { advance, nextExpiry } from './timeline.ts';

const batchMax = 500;

/**
 * Expires votes that are due. A verdict starts when its vote expired, not when the sweep found it.
 * Returns the number of rows checked.
 */
export async function sweepExpiries(pool: pg.Pool, hooks: VerdictHooks, nowMs: number): Promise<number> {
  return transactionByItem(pool, async sql => {
    const due = await lockDueStates(sql, nowMs, batchMax);
    if (due.length === 0) return 0;
    const quarantines = await readQuarantines(sql);
    const swept: JudgedState[] = [];
    for (const before of due) {
      const judge = (): JudgedState => {
        const judged = advance(before, nowMs, quarantines.of(before.projectId));
        const state: MonitorState = { ...before, ...judged.standing };
        return { before, state: { ...state, sweepAt: nextExpiry(state) }, changes: judged.changes };
      };
      const item = { work: 'judging', id: before.monitorId, projectId: before.projectId, nowMs } as const;
      const later = () => ({ before, state: { ...before, sweepAt: nowMs + tryAgainMs }, changes: [] });
      swept.push(isCareful(sql) ? await attempt(sql, item, async () => judge(), later) : judge());
    }
    await writeStates(
      sql,
      swept.map(({ state }) => state),
    );
    for (const judged of swept)
      await applyEachChange(sql, hooks, judged, quarantines.of(judged.state.projectId), nowMs);
    return due.length;
  });
}
