import { retryAfterSeconds } from '#shared/fairness/token-bucket.ts';
import { fragment, type Sql } from '../../db/sql.ts';
import { type Caller, keyOf } from '../endpoint/caller.ts';
import { Problem } from '../problem.ts';
import { refilled } from './stored-bucket.ts';

/** Requests per minute, and how many may come at once. */
export type RateLimit = { perMinute: number; burst: number };

/** A bucket that a request is charged to; `times` the limit fit into it. */
type Charge = { key: string; times: number };

/** What a caller may still send: whole requests, and the seconds until it is the most again. */
export type Allowance = { remaining: number; fullAfterSeconds: number };

/** All tokens of a project together may send as much as five of them: tokens are cheap to make. */
const projectTimes = 5;
/** A replay costs nothing of the limit, but reads and hashes a body: there may be five times as many. */
const replayTimes = 5;

/**
 * Charges one request to a bucket that all replicas share, by the database's clock. A refusal takes nothing.
 * Throws `rate_limited` with the whole seconds after which one request is granted.
 */
export async function chargeRequest(sql: Sql, key: string, limit: RateLimit): Promise<void> {
  await chargeBuckets(sql, [{ key, times: 1 }], limit);
}

/**
 * Charges the caller and its project with one request, or with what several cost. A refusal takes nothing. Throws like
 * `chargeRequest`.
 */
export function chargeCaller(sql: Sql, caller: Caller, limit: RateLimit, cost = 1): Promise<Allowance> {
  return chargeBuckets(sql, chargesOf(caller), limit, cost);
}

/** Charges one replay of a stored answer to buckets of their own. False, and nothing taken, if they are empty. */
export async function chargeReplay(sql: Sql, caller: Caller, limit: RateLimit): Promise<boolean> {
  const charges = chargesOf(caller).map(({ key, times }) => ({ key: `replays ${key}`, times: times * replayTimes }));
  try {
    await chargeBuckets(sql, charges, limit);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** Gives back what `chargeCaller` took of a replay, as long as the limit of replays allows it. */
export async function refundReplay(sql: Sql, caller: Caller, limit: RateLimit): Promise<void> {
  if (!(await chargeReplay(sql, caller, limit))) return;
  const keys = chargesOf(caller).map(charge => charge.key);
  await refund(sql, keys, 1);
}

/** A dashboard session has a bucket beside its token's: it does not slow down what else uses the token. */
function chargesOf(caller: Caller): Charge[] {
  const { projectId, session } = caller;
  return [
    { key: `project ${projectId}`, times: projectTimes },
    { key: `${session === undefined ? 'token' : 'session'} ${keyOf(caller)}`, times: 1 },
  ];
}

/** All rows are charged in the order of their keys, in one statement: two requests cannot deadlock. */
async function chargeBuckets(sql: Sql, charges: readonly Charge[], limit: RateLimit, cost = 1): Promise<Allowance> {
  const { perMinute, burst } = limit;
  const keys = charges.map(charge => charge.key);
  const capacities = charges.map(charge => charge.times * burst);
  // A new bucket is stored without what made it, so its capacity is that much more.
  const capacity = fragment`(excluded.tokens + ${cost}::float8)`;
  const bucket = { capacity, perSecond: fragment`(${capacity} * ${perMinute / 60 / burst}::float8)` };
  const tokens = refilled(fragment`bucket`, bucket, fragment`clock_timestamp()`);
  const rows = await sql.rows<{ key: string; tokens: number }>`
    insert into rate_buckets as bucket (key, tokens, at)
    select key, capacity - ${cost}::float8, clock_timestamp()
    from unnest(${keys}::text[], ${capacities}::float8[]) as charge (key, capacity)
    order by key
    on conflict (key) do update
    set tokens = ${tokens} - ${cost}::float8, at = clock_timestamp()
    where ${tokens} >= ${cost}::float8
    returning key, tokens`;
  const levels = charges.map(({ key, times }) => {
    const perSecond = (times * perMinute) / 60;
    const left = rows.find(row => row.key === key)?.tokens ?? null;
    return { key, left, perSecond, capacity: times * burst };
  });
  const refused = levels.filter(level => level.left === null);
  if (refused.length === 0) {
    return {
      remaining: Math.floor(Math.min(...levels.map(({ left }) => left ?? 0))),
      fullAfterSeconds: Math.max(
        ...levels.map(({ left, capacity, perSecond }) => Math.ceil((capacity - (left ?? 0)) / perSecond)),
      ),
    };
  }
  if (rows.length > 0) {
    await refund(
      sql,
      rows.map(row => row.key),
      cost,
    );
  }
  // The statement does not return what is left: an empty bucket is assumed.
  const empty = refused.map(({ perSecond }) => ({ tokens: 0, perSecond }));
  throw new Problem('rate_limited', { retryAfter: retryAfterSeconds(empty, cost) ?? 1 });
}

/** A bucket may be above its capacity for a moment; the next charge cuts it. */
async function refund(sql: Sql, keys: readonly string[], cost: number): Promise<void> {
  await sql.run`
    with charged as (
      select key
      from rate_buckets
      where key = any(${keys}::text[])
      order by key
      for update
    )
    update rate_buckets bucket
    set tokens = bucket.tokens + ${cost}::float8
    from charged
    where bucket.key = charged.key`;
}

/** Deletes buckets that are full again; returns how many. */
export async function deleteIdleBuckets(sql: Sql): Promise<number> {
  return sql.run`
    delete from rate_buckets
    where at < clock_timestamp() - interval '1 hour'`;
}
