import { type Bucket, TokenBucket } from '#shared/fairness/token-bucket.ts';

export const messageLimits: Bucket = { perSecond: 50, capacity: 200 };
/** A spool of an hour at 100 checks a second is handed over in about a minute. */
export const resultLimits: Bucket = { perSecond: 5000, capacity: 20_000 };

/** A result of an ordinary check has 400 to 800 bytes as JSON. */
const bytesPerResult = 1024;
/** For what is no result: the signs of life of a hundred agents are a tenth of it. */
const leastBytes: Bucket = { perSecond: 256 * 1024, capacity: 4 * 1024 * 1024 };

const attempts = 2;
const catchUp = 20;
const leastLimits: Bucket = { perSecond: 20, capacity: 1000 };
const burstSeconds = 600;
const idleMs = 60_000;

/**
 * What all agents of a private region may report together, by the checks that are due there: both attempts of each
 * slot, twenty times as fast as they fall due, so that spools are handed over soon after a cut.
 */
export function dueLimits(checksPerSecond: number): Bucket {
  const due = attempts * checksPerSecond;
  const perSecond = Math.min(catchUp * due, Math.max(resultLimits.perSecond, 2 * due));
  const burst = Math.min(burstSeconds * due, Math.max(resultLimits.capacity, 2 * perSecond));
  return { perSecond: Math.max(leastLimits.perSecond, perSecond), capacity: Math.max(leastLimits.capacity, burst) };
}

/**
 * The bytes of messages that go with as many results: parsing a mebibyte of JSON takes up to a tenth of a second, and
 * what is in it need not be results.
 */
export function byteLimits({ perSecond, capacity }: Bucket): Bucket {
  return {
    perSecond: Math.max(leastBytes.perSecond, perSecond * bytesPerResult),
    capacity: Math.max(leastBytes.capacity, capacity * bytesPerResult),
  };
}

type Part = { bucket: TokenBucket; usedAtMs: number };

/**
 * One budget for several senders. Who stays within an equal part of it never waits; the others share what is left.
 * Senders are known by their ids, so that a new connection is no new budget, and forgotten when idle.
 */
export class SharedBudget {
  readonly #whole: TokenBucket;
  readonly #parts = new Map<string, Part>();

  constructor(limits: Bucket, nowMs: number) {
    this.#whole = new TokenBucket(limits, nowMs);
  }

  set limits(limits: Bucket) {
    this.#whole.limits = limits;
    this.#divide();
  }

  /** Milliseconds for which this sender is not to be read. */
  charge(sender: string, count: number, nowMs: number): number {
    const part = this.#partOf(sender, nowMs);
    const owedByAll = this.#whole.charge(count, nowMs);
    const owed = part.charge(count, nowMs);
    if (owedByAll > 0) return Math.min(owed, owedByAll);
    part.settle();
    return 0;
  }

  #partOf(sender: string, nowMs: number): TokenBucket {
    const part = this.#parts.get(sender);
    if (part !== undefined) {
      part.usedAtMs = nowMs;
      return part.bucket;
    }
    for (const [id, { bucket, usedAtMs }] of this.#parts)
      if (usedAtMs < nowMs - idleMs && bucket.charge(0, nowMs) === 0) this.#parts.delete(id);
    const bucket = new TokenBucket(this.#whole.limits, nowMs);
    this.#parts.set(sender, { bucket, usedAtMs: nowMs });
    this.#divide();
    return bucket;
  }

  #divide(): void {
    const { perSecond, capacity } = this.#whole.limits;
    const count = Math.max(1, this.#parts.size);
    for (const { bucket } of this.#parts.values())
      bucket.limits = { perSecond: perSecond / count, capacity: capacity / count };
  }
}
