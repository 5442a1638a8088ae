import type { Sql } from '../db/sql.ts';

/** Called in the transaction of a release that entries are attributed to, or were until now. Bound in control-plane/workflow.ts. */
export type ReleaseHooks = {
  /** Entries in [fromMs, toMs) are attributed to another release from now on. */
  released(sql: Sql, projectId: string, fromMs: number, toMs: number): Promise<void>;
};
