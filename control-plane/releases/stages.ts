import type { Sql } from '../db/sql.ts';

/**
 * What goes with a release that entries belong to, in its transaction: before it is written, and after; entries in
 * [fromMs, toMs) belong to it from now on.
 */
export type ReleaseStages = {
  releasing(sql: Sql, projectId: string): Promise<void>;
  released(sql: Sql, projectId: string, fromMs: number, toMs: number): Promise<void>;
};
