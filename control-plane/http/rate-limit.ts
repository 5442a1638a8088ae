import type { Sql } from '../db/sql.ts';
import { Problem } from './problem.ts';

/** A token bucket: refilled steadily, never above the burst. */
export type Bucket = { perMinute: number; burst: number };

/**
 * Charges one request to a bucket that all replicas share, by the database's clock. A refusal takes nothing.
 * Throws `rate_limited` with the whole seconds after which one request gets in.
 */
export async function chargeRequest(sql: Sql, key: string, bucket: Bucket): Promise<void> {
  const perSecond = bucket.perMinute / 60;
  const charged = await sql.row(
    `insert into rate_buckets as held (key, tokens, at) values ($1, $2 - 1, clock_timestamp())
     on conflict (key) do update set
       tokens = least($2, held.tokens + greatest(0, extract(epoch from clock_timestamp() - held.at)) * $3) - 1, at = clock_timestamp()
     where least($2, held.tokens + greatest(0, extract(epoch from clock_timestamp() - held.at)) * $3) >= 1
     returning 1`,
    [key, bucket.burst, perSecond],
  );
  if (charged !== null) return;
  throw new Problem('rate_limited', { retryAfter: Math.max(1, Math.ceil(1 / perSecond)) });
}

/** Buckets that are full again say nothing and can go. */
export async function deleteIdleBuckets(sql: Sql): Promise<number> {
  return sql.run("delete from rate_buckets where at < clock_timestamp() - interval '1 hour'");
}
