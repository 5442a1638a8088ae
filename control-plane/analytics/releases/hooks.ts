import type { Sql } from '../../platform/db/sql.ts';

/** Called in the transaction that makes or deletes a release of entries. Bound in control-plane/analytics/wing.ts. */
export type ReleaseHooks = {
  /** Entries in [fromMs, toMs) are attributed to another release from now on. */
  released(sql: Sql, projectId: string, fromMs: number, toMs: number): Promise<void>;
};
