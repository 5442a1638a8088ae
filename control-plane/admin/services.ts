import type pg from 'pg';
import type { Sql } from '../db/sql.ts';

/**
 * What every command works with. `sql` and `pool` see the rows of all projects; `progress` takes lines about work that
 * lasts.
 */
export type AdminServices = {
  sql: Sql;
  pool: pg.Pool;
  databaseUrl: string;
  secretsKeys: readonly string[];
  nowMs: number;
  progress: (line: string) => void;
};
