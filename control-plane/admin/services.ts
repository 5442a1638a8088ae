import type pg from 'pg';
import type { Sql } from '../db/sql.ts';

/** What every command works with. `sql` and `pool` see the rows of all projects. */
export type AdminServices = { sql: Sql; pool: pg.Pool; secretsKeys: readonly string[]; nowMs: number };
