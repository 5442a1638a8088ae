import type { Confirmation } from '#shared/vocabulary.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import type { Accepted } from './intake/prepare.ts';

/** What to do after the commit: confirmations to send, and states that were written once, with the same verdict. */
export type Judged = { confirmations: Confirmation[]; written: MonitorState[] };

/** What follows stored results, in their transaction. Bound in control-plane/monitoring/hooks.ts. */
export type CheckHooks = {
  /** Before results are stored: rows are locked. */
  arrived(sql: Sql, states: readonly MonitorState[], accepted: readonly Accepted[]): Promise<readonly Accepted[]>;
  /** Rows are locked; `fresh` holds only results that were new. */
  recorded(
    sql: Sql,
    states: readonly MonitorState[],
    fresh: readonly Pick<Accepted, 'result' | 'version' | 'cast'>[],
    nowMs: number,
  ): Promise<Judged>;
};
