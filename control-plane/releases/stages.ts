import type { Sql } from '../db/sql.ts';

/** What follows a release, in its transaction: entries in [fromMs, toMs) belong to it from now on. */
export type ReleaseStages = { released(sql: Sql, projectId: string, fromMs: number, toMs: number): Promise<void> };
