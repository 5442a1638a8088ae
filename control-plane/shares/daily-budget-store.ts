import type { Sql } from '../db/sql.ts';
import { bytesOfDayKey, type DailyBudget } from './quota.ts';

/**
 * Takes from what a project may write of something in a UTC day. False, and nothing taken, if that is used up. By `sql`
 * of a transaction others of the project wait for its end; by that of a pool they do not, and it stays taken.
 */
export async function takeOfDay(
  sql: Sql,
  projectId: string,
  budget: DailyBudget,
  amount: number,
  { maximum, nowMs }: { maximum: number; nowMs: number },
): Promise<boolean> {
  const taken = await sql.run`
    insert into ingest_buckets as bucket (key, tokens, at)
    values (${bytesOfDayKey(budget, projectId, nowMs)}, ${-amount}::float8, ingest_clock())
    on conflict (key) do update
    set tokens = bucket.tokens - ${amount}::float8, at = greatest(bucket.at, excluded.at)
    where bucket.tokens - ${amount}::float8 >= ${-maximum}::float8`;
  return taken === 1;
}
