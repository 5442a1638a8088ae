import type pg from 'pg';
import { transaction } from '../db/transaction.ts';
import type { MonitorState } from '../monitors/state.ts';
import { writeStates } from '../monitors/state-store.ts';
import type { VerdictHooks } from './hooks.ts';
import { applyChanges } from './judge.ts';
import { readQuarantines } from './region-fault-store.ts';
import { lockDueStates } from './store.ts';
import { advance, nextExpiry } from './timeline.ts';

const batchMax = 500;

/**
 * Expires votes that are due. A verdict starts when its vote expired, not when the sweep found it.
 * Returns the number of rows checked.
 */
export async function sweepExpiries(pool: pg.Pool, hooks: VerdictHooks, nowMs: number): Promise<number> {
  return transaction(pool, async sql => {
    const due = await lockDueStates(sql, nowMs, batchMax);
    if (due.length === 0) return 0;
    const quarantines = await readQuarantines(sql);
    const swept = due.map(before => {
      const judged = advance(before, nowMs, quarantines.of(before.projectId));
      const state: MonitorState = { ...before, ...judged.standing };
      return { before, state: { ...state, sweepAt: nextExpiry(state) }, changes: judged.changes };
    });
    await writeStates(
      sql,
      swept.map(({ state }) => state),
    );
    for (const { before, state, changes } of swept)
      await applyChanges(sql, hooks, before, state, changes, quarantines.of(state.projectId), nowMs);
    return due.length;
  });
}
