import { minuteMs } from '#shared/duration.ts';
import { tokensAt } from '#shared/fairness/token-bucket.ts';
import { type IngestBucket, type Refusal, refusalOf } from './limits.ts';

type Level = { tokens: number; atMs: number };

const levelsMax = 20_000;
const idleMs = 10 * minuteMs;

/** The buckets of one process, for as long as it cannot ask the database; each begins full. */
export class LocalLimiter {
  readonly #levels = new Map<string, Level>();

  /** Charges all buckets or none; null when granted. Time in milliseconds on a monotonic clock. */
  charge(buckets: readonly IngestBucket[], nowMs: number): Refusal | null {
    const levels = new Map(
      buckets.map(bucket => {
        const level = this.#levels.get(bucket.key);
        return [bucket.key, level === undefined ? bucket.capacity : tokensAt(nowMs, level, bucket)];
      }),
    );
    const refusal = refusalOf(buckets, levels);
    if (refusal !== null) return refusal;
    for (const { key, amount } of buckets)
      this.#levels.set(key, { tokens: (levels.get(key) ?? 0) - amount, atMs: nowMs });
    if (this.#levels.size > levelsMax) this.#forgetIdle(nowMs);
    return null;
  }

  #forgetIdle(nowMs: number): void {
    for (const [key, { atMs }] of this.#levels) if (nowMs - atMs > idleMs) this.#levels.delete(key);
  }
}
