import type { Confirmation } from '../assignments/check-now.ts';
import type { Sql } from '../db/sql.ts';
import type { MonitorState } from '../monitors/state.ts';
import type { VersionRules } from './accept.ts';
import type { NewResult } from './store.ts';

/** What follows stored results, in their transaction. Bound in control-plane/stages.ts. */
export type CheckStages = {
  /** Rows are locked; `fresh` holds only results not known before. Returns what other regions are asked once this is committed. */
  recorded(
    sql: Sql,
    states: readonly MonitorState[],
    fresh: readonly { result: NewResult; version: VersionRules }[],
    nowMs: number,
  ): Promise<Confirmation[]>;
  /** After the commit. */
  confirm(confirmations: readonly Confirmation[]): Promise<void>;
};
