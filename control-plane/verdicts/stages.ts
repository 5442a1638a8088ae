import type { Sql } from '../db/sql.ts';
import type { MonitorState } from '../monitors/state.ts';
import type { VerdictChange } from './timeline.ts';

/** What follows a verdict, in its transaction. Bound in control-plane/stages.ts. */
export type VerdictStages = {
  /** The verdict changed now. */
  flipped(sql: Sql, before: MonitorState, state: MonitorState, change: VerdictChange, nowMs: number): Promise<void>;
  /** The monitor stays down, but other regions fail than before. */
  failingRegionsChanged(sql: Sql, state: MonitorState, regions: readonly string[]): Promise<void>;
  /** Late results moved rows of the history: what was told stays told, its times move. */
  historyMoved(
    sql: Sql,
    monitorId: string,
    before: readonly VerdictChange[],
    rows: readonly VerdictChange[],
  ): Promise<void>;
};
