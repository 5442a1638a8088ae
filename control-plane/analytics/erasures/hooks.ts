import type { Sql } from '../../platform/db/sql.ts';

/** What others do when an erasure is done, in the same transaction. They do not learn whose it was. */
export type ErasureHooks = {
  done(sql: Sql, erasure: { projectId: string; id: string; events: number }, nowMs: number): Promise<void>;
};
