import type { Sql } from '../../platform/db/sql.ts';

/**
 * Whether there is no project yet. No other transaction can create one, and none can ask this, until this one ends.
 */
export async function lockUnlessSetUp(sql: Sql): Promise<boolean> {
  await sql.run`lock table projects in share row exclusive mode`;
  return (await sql.row`select 1 from projects limit 1`) === null;
}

/** Whether any project exists, without a lock. */
export async function isSetUp(sql: Sql): Promise<boolean> {
  return (await sql.row`select 1 from projects limit 1`) !== null;
}
