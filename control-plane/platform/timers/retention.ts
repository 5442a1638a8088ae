import type { Sql } from '../db/sql.ts';

/** What is deleted when it is older than `keepMs`; with 0, `run` knows by itself how long it keeps what it deletes. */
export type Retention = { name: string; keepMs: number; run(sql: Sql, beforeMs: number): Promise<unknown> };
