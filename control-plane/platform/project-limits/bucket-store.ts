import { type Bucket, tolerance } from '#shared/fairness/token-bucket.ts';
import { fragment, type Sql } from '../db/sql.ts';
import { refilled } from '../http/limits/stored-bucket.ts';
import { bytesKeys } from './quota.ts';

/**
 * A bucket of the table `ingest_buckets` and what a request takes from it. One that counts a quota starts at zero, is
 * not refilled and may fall to `floor`.
 */
export type StoredBucket = Bucket & { key: string; amount: number; floor: number };

type Level = { key: string; tokens: number };
type Outcome = { found: number; granted: boolean | null; levels: Level[] | null };

const attemptsMax = 10;

const tokens = refilled(
  fragment`b`,
  { capacity: fragment`w.capacity`, perSecond: fragment`w.per_second` },
  fragment`clock.at`,
);

/**
 * Charges all buckets or none, by the database's clock. Null when granted, otherwise their levels by key. A bucket
 * that does not exist yet is created full.
 */
export async function chargeBuckets(
  sql: Sql,
  buckets: readonly StoredBucket[],
): Promise<ReadonlyMap<string, number> | null> {
  let outcome = await chargeStored(sql, buckets);
  // Rows can be deleted as idle between the two statements, so one attempt may not be enough.
  for (let attempt = 1; outcome.found < buckets.length; attempt++) {
    if (attempt > attemptsMax) throw new Error(`the buckets could not be created in ${attemptsMax} attempts`);
    await createBuckets(sql, buckets);
    outcome = await chargeStored(sql, buckets);
  }
  if (outcome.granted === true) return null;
  return new Map(outcome.levels?.map(level => [level.key, level.tokens]));
}

/** Takes nothing unless every bucket exists and grants. The rows are locked in one order: no two charges deadlock. */
async function chargeStored(sql: Sql, buckets: readonly StoredBucket[]): Promise<Outcome> {
  const row = await sql.row<Outcome>`
    with input as materialized (
      select ingest_clock() as at, ${buckets.length}::int as buckets
    ),
    wanted as (
      select key, capacity, per_second, needed, amount
      from unnest(
        ${buckets.map(bucket => bucket.key)}::text[],
        ${buckets.map(bucket => bucket.capacity)}::float8[],
        ${buckets.map(bucket => bucket.perSecond)}::float8[],
        ${buckets.map(bucket => bucket.amount + bucket.floor)}::float8[],
        ${buckets.map(bucket => bucket.amount)}::float8[]
      ) as w (key, capacity, per_second, needed, amount)
    ),
    stored as materialized (
      select b.key, w.needed, w.amount, ${tokens} as tokens
      from ingest_buckets b
      join wanted w on w.key = b.key
      cross join input clock
      order by b.key
      for update of b
    ),
    verdict as (
      select count(*) as found, bool_and(tokens >= needed - ${tolerance}::float8) as granted
      from stored
    ),
    charged as (
      update ingest_buckets b
      set tokens = stored.tokens - stored.amount, at = greatest(b.at, input.at)
      from stored, input, verdict
      where b.key = stored.key and verdict.granted and verdict.found = input.buckets
    )
    select
      found,
      granted,
      case when not granted then (
        select json_agg(json_build_object('key', key, 'tokens', tokens)) from stored
      ) end as levels
    from verdict`;
  return row ?? { found: 0, granted: null, levels: null };
}

async function createBuckets(sql: Sql, buckets: readonly StoredBucket[]): Promise<void> {
  await sql.run`
    insert into ingest_buckets (key, tokens, at)
    select w.key, w.capacity, ingest_clock()
    from unnest(
      ${buckets.map(bucket => bucket.key)}::text[],
      ${buckets.map(bucket => bucket.capacity)}::float8[]
    ) as w (key, capacity)
    order by w.key
    on conflict do nothing`;
}

/** Deletes buckets that are full again, and quotas of days that are over; returns how many. */
export async function deleteIdleIngestBuckets(sql: Sql): Promise<number> {
  return sql.run`
    delete from ingest_buckets
    where at < ingest_clock() - case when key like ${bytesKeys} then interval '2 days' else interval '1 hour' end`;
}
