import type { Confirmation } from '#shared/vocabulary.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import type { VersionRules } from './intake/accept.ts';
import type { NewResult } from './storage/insert-store.ts';

/** What to do after the commit: confirmations to send, and states that were written once, with the same verdict. */
export type Judged = { confirmations: Confirmation[]; written: MonitorState[] };

/** What follows stored results, in their transaction. Bound in control-plane/monitoring/hooks.ts. */
export type CheckHooks = {
  /** Rows are locked; `fresh` holds only results that were new. */
  recorded(
    sql: Sql,
    states: readonly MonitorState[],
    fresh: readonly { result: NewResult; version: VersionRules }[],
    nowMs: number,
  ): Promise<Judged>;
};
