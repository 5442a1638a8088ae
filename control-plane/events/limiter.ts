import type { Sql } from '../db/sql.ts';
import { Problem } from '../http/problem.ts';
import { chargeBuckets } from './limiter-store.ts';
import type { Bucket } from './limits.ts';

/** Charges `count` events to all of the buckets, or throws `rate_limited` and takes nothing. */
export type Limiter = { charge(buckets: readonly Bucket[], count: number): Promise<void> };

type Waiting = { count: number; resolve(): void; reject(error: unknown): void };
type Lane = { buckets: readonly Bucket[]; waiting: Waiting[] };

/**
 * Requests of one project that arrive while a charge is on its way are charged together: when their sum is granted each of
 * them would have been. When it is not, each is asked for by itself, in order of arrival.
 */
export function createLimiter(sql: Sql): Limiter {
  const lanes = new Map<string, Lane>();

  const serveLane = async (key: string, lane: Lane): Promise<void> => {
    while (lane.waiting.length > 0) await serve(sql, lane.buckets, lane.waiting.splice(0));
    lanes.delete(key);
  };

  return {
    charge: (buckets, count) =>
      new Promise((resolve, reject) => {
        const key = buckets.map(bucket => `${bucket.key} ${bucket.capacity} ${bucket.perSecond}`).join('\n');
        const known = lanes.get(key);
        const lane = known ?? { buckets, waiting: [] };
        lane.waiting.push({ count, resolve, reject });
        if (known !== undefined) return;
        lanes.set(key, lane);
        void serveLane(key, lane);
      }),
  };
}

async function serve(sql: Sql, buckets: readonly Bucket[], waiting: readonly Waiting[]): Promise<void> {
  try {
    const sum = waiting.reduce((total, one) => total + one.count, 0);
    const refused = waiting.length > 1 ? await chargeBuckets(sql, buckets, sum) : 1;
    if (refused === null) return waiting.forEach(one => void one.resolve());
    for (const one of waiting) {
      const retryAfter = await chargeBuckets(sql, buckets, one.count);
      if (retryAfter === null) one.resolve();
      else
        one.reject(
          new Problem('rate_limited', { retryAfter, detail: 'the project’s events come faster than its limit' }),
        );
    }
  } catch (error) {
    // Those that were answered already do not hear of it.
    for (const one of waiting) one.reject(error);
  }
}
