import type { Sql } from '../../platform/db/sql.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import type { VerdictChange } from './timeline.ts';

/** What follows a verdict, in its transaction. Bound in control-plane/monitoring/hooks.ts. */
export type VerdictHooks = {
  /** The verdict changed now. */
  flipped(sql: Sql, state: MonitorState, change: VerdictChange, nowMs: number): Promise<void>;
  /** Opens and resolves the monitor's alerts by the change. If it fails for one monitor, it is done later. */
  alerted(sql: Sql, before: MonitorState, state: MonitorState, change: VerdictChange, nowMs: number): Promise<void>;
  /** The monitor is still down, but the set of failing regions changed. */
  failingRegionsChanged(sql: Sql, state: MonitorState, regions: readonly string[]): Promise<void>;
  /** Results that came late replaced rows: notifications already sent are not revised, only timestamps. */
  historyMoved(
    sql: Sql,
    monitorId: string,
    before: readonly Pick<VerdictChange, 'verdict' | 'since'>[],
    rows: readonly VerdictChange[],
  ): Promise<void>;
};
