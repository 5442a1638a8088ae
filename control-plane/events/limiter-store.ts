import type { Sql } from '../db/sql.ts';
import { type Bucket, retrySeconds, tolerance } from './limits.ts';

type Outcome = { found: number; granted: boolean | null; levels: { tokens: number; perSecond: number }[] | null };

/** The rows are locked in one order, so that two charges never wait for each other in a circle. */
const chargeAll = `
with clock as materialized (select ingest_clock() as at),
wanted as (select * from unnest($1::text[], $2::float8[], $3::float8[]) as w (key, capacity, per_second)),
held as materialized (
  select b.key, w.per_second,
    least(w.capacity, b.tokens + greatest(0, extract(epoch from clock.at - b.at)::float8) * w.per_second) as tokens
  from ingest_buckets b join wanted w on w.key = b.key cross join clock
  order by b.key for update of b
), verdict as (select count(*) as found, bool_and(tokens >= $4::float8 - ${tolerance}) as granted from held),
taken as (
  update ingest_buckets b set tokens = held.tokens - $4::float8, at = greatest(b.at, clock.at)
  from held, clock, verdict where b.key = held.key and verdict.granted and verdict.found = cardinality($1::text[])
)
select found, granted, (select json_agg(json_build_object('tokens', tokens, 'perSecond', per_second)) from held) as levels from verdict`;

/** Charges all buckets or none, by the database's clock; null when granted, else the seconds to wait. */
export async function chargeBuckets(sql: Sql, buckets: readonly Bucket[], count: number): Promise<number | null> {
  const columns = [
    buckets.map(bucket => bucket.key),
    buckets.map(bucket => bucket.capacity),
    buckets.map(bucket => bucket.perSecond),
  ];
  for (;;) {
    const outcome = (await sql.row<Outcome>(chargeAll, [...columns, count])) as Outcome;
    if (outcome.found < buckets.length) {
      await makeBuckets(sql, columns);
      continue;
    }
    return outcome.granted === true ? null : (retrySeconds(outcome.levels ?? [], count) ?? 1);
  }
}

/** A bucket nobody used yet is full. */
async function makeBuckets(sql: Sql, [keys, capacities]: readonly (readonly (string | number)[])[]): Promise<void> {
  await sql.run(
    `insert into ingest_buckets (key, tokens, at) select w.key, w.capacity, ingest_clock()
     from unnest($1::text[], $2::float8[]) as w (key, capacity) order by 1 on conflict do nothing`,
    [keys ?? [], capacities ?? []],
  );
}

/** Buckets that are full again say nothing and can go. */
export async function deleteIdleIngestBuckets(sql: Sql): Promise<number> {
  return sql.run("delete from ingest_buckets where at < ingest_clock() - interval '1 hour'");
}
