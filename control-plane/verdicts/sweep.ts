import type pg from 'pg';
import { transaction } from '../db/transaction.ts';
import type { MonitorState } from '../monitors/state.ts';
import { writeStates } from '../monitors/state-store.ts';
import { follow } from './judge.ts';
import type { VerdictStages } from './stages.ts';
import { lockDueStates, quarantinedRegions } from './store.ts';
import { advance, nextExpiry } from './timeline.ts';

const batchMax = 500;

/** Lets votes expire whose time is over. A verdict starts when the vote expired, not when the sweep saw it. Returns how many rows it looked at. */
export async function sweepExpiries(pool: pg.Pool, stages: VerdictStages, nowMs: number): Promise<number> {
  return transaction(pool, async sql => {
    const due = await lockDueStates(sql, nowMs, batchMax);
    if (due.length === 0) return 0;
    const quarantined = await quarantinedRegions(sql);
    const swept = due.map(before => {
      const judged = advance(before, nowMs, quarantined);
      const state: MonitorState = { ...before, ...judged.standing };
      return { before, state: { ...state, sweepAt: nextExpiry(state) }, changes: judged.changes };
    });
    await writeStates(
      sql,
      swept.map(one => one.state),
    );
    for (const { before, state, changes } of swept)
      await follow(sql, stages, before, state, changes, quarantined, nowMs);
    return due.length;
  });
}
