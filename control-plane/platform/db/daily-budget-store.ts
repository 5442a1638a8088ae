import type { Sql } from './sql.ts';

/** What a project writes by the way, which is counted by the day beside the bytes of its events. */
export type DailyBudget = 'answers' | 'fingerprints' | 'audit' | 'deliveries' | 'invitations' | 'sign_in_mails';

/** Where that is counted: the limiter of events deletes what begins like this after two days. */
export function budgetKey(budget: DailyBudget, projectId: string, nowMs: number): string {
  return `bytes ${budget} ${projectId} ${new Date(nowMs).toISOString().slice(0, 10)}`;
}

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
    values (${budgetKey(budget, projectId, nowMs)}, ${-amount}::float8, ingest_clock())
    on conflict (key) do update
    set tokens = bucket.tokens - ${amount}::float8, at = greatest(bucket.at, excluded.at)
    where bucket.tokens - ${amount}::float8 >= ${-maximum}::float8`;
  return taken === 1;
}
