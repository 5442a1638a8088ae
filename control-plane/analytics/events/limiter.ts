import type { Clock } from '#shared/clock.ts';
import { dayMs, secondMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { chargeBuckets } from '../../platform/project-limits/bucket-store.ts';
import type { CircuitBreaker } from '../../platform/resilience/circuit-breaker.ts';
import { type IngestBucket, type Refusal, refusalOf } from './limits.ts';
import type { LocalLimiter } from './local-limiter.ts';

/** Takes the amounts from all of the buckets, or throws `rate_limited` or `limit_reached` and takes nothing. */
export type Limiter = { charge(buckets: readonly IngestBucket[]): Promise<void> };

type Waiting = { buckets: readonly IngestBucket[]; resolve(): void; reject(error: unknown): void };

/**
 * Requests with the same buckets that arrive during a charge are charged together: if their sum is granted, each of
 * them would have been. If it is not, they are charged one by one, in order of arrival.
 */
export function createLimiter(
  sql: Sql,
  clock: Clock,
  whileAway: { breaker: CircuitBreaker; local: LocalLimiter } | null = null,
): Limiter {
  const queues = new Map<string, Waiting[]>();

  /** By the database, or by this process alone while it is away and something else keeps the events. */
  const chargeAll = (buckets: readonly IngestBucket[]): Promise<Refusal | null> => {
    if (whileAway === null) return chargeStored(sql, buckets);
    const { breaker, local } = whileAway;
    return breaker.attempt(
      () => chargeStored(sql, buckets),
      () => local.charge(buckets, performance.now()),
    );
  };

  const serveQueue = async (key: string, queue: Waiting[]): Promise<void> => {
    while (queue.length > 0) await serve(queue.splice(0));
    queues.delete(key);
  };

  const serve = async (waiting: readonly Waiting[]): Promise<void> => {
    try {
      if (waiting.length > 1 && (await chargeAll(sumOf(waiting))) === null)
        return waiting.forEach(request => void request.resolve());
      for (const request of waiting) {
        const refusal = await chargeAll(request.buckets);
        if (refusal === null) request.resolve();
        else request.reject(problemOf(refusal, request.buckets, clock.now()));
      }
    } catch (error) {
      // Rejecting a request that is already resolved does nothing.
      for (const request of waiting) request.reject(error);
    }
  };

  return {
    charge: buckets =>
      new Promise((resolve, reject) => {
        const key = buckets.map(bucket => `${bucket.key} ${bucket.capacity} ${bucket.perSecond}`).join('\n');
        const current = queues.get(key);
        const queue = current ?? [];
        queue.push({ buckets, resolve, reject });
        if (current !== undefined) return;
        queues.set(key, queue);
        void serveQueue(key, queue);
      }),
  };
}

/** The buckets of the first request with the amounts of all. */
function sumOf([first, ...others]: readonly Waiting[]): IngestBucket[] {
  return (first?.buckets ?? []).map((bucket, index) => ({
    ...bucket,
    amount: others.reduce((sum, { buckets }) => sum + (buckets[index]?.amount ?? 0), bucket.amount),
  }));
}

function problemOf({ reason, retryAfter }: Refusal, buckets: readonly IngestBucket[], nowMs: number): Problem {
  switch (reason) {
    case 'rate':
      return new Problem('rate_limited', {
        retryAfter: retryAfter ?? 1,
        detail: 'the project sends events faster than its limit',
      });
    case 'quota': {
      const maximum = -Math.max(...buckets.flatMap(({ capacity, floor }) => (capacity === 0 ? [floor] : [])));
      return new Problem('limit_reached', {
        retryAfter: Math.ceil((dayMs - (nowMs % dayMs)) / secondMs),
        detail: `the project may store at most ${maximum} bytes of events per UTC day; ask your operator for more`,
        extra: { resource: 'event_bytes_per_day', maximum },
      });
    }
    default:
      return reason satisfies never;
  }
}

/** Charges all buckets or none. Null when granted. */
export async function chargeStored(sql: Sql, buckets: readonly IngestBucket[]): Promise<Refusal | null> {
  const levels = await chargeBuckets(sql, buckets);
  return levels === null ? null : (refusalOf(buckets, levels) ?? { reason: 'rate', retryAfter: 1 });
}
