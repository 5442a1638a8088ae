/** What a sender may send: a burst at once, then so much per second. */
export type IntakeLimits = { perSecond: number; burst: number };

export const messageLimits: IntakeLimits = { perSecond: 50, burst: 200 };
/** A spool of an hour at 100 checks a second is handed over in about a minute. */
export const resultLimits: IntakeLimits = { perSecond: 5000, burst: 20_000 };

/** A result of an ordinary check has 400 to 800 bytes as JSON. */
const bytesPerResult = 1024;
/** For what is no result: the signs of life of a hundred agents are a tenth of it. */
const leastBytes: IntakeLimits = { perSecond: 256 * 1024, burst: 4 * 1024 * 1024 };

const attempts = 2;
const catchUp = 20;
const leastLimits: IntakeLimits = { perSecond: 20, burst: 1000 };
const burstSeconds = 600;
const idleMs = 60_000;

/**
 * What all agents of a private region may report together, by the checks that are due there: both attempts of each
 * slot, twenty times as fast as they fall due, so that spools are handed over soon after a cut.
 */
export function dueLimits(checksPerSecond: number): IntakeLimits {
  const due = attempts * checksPerSecond;
  const perSecond = Math.min(catchUp * due, Math.max(resultLimits.perSecond, 2 * due));
  const burst = Math.min(burstSeconds * due, Math.max(resultLimits.burst, 2 * perSecond));
  return { perSecond: Math.max(leastLimits.perSecond, perSecond), burst: Math.max(leastLimits.burst, burst) };
}

/**
 * The bytes of messages that go with as many results: parsing a mebibyte of JSON takes up to a tenth of a second, and
 * what is in it need not be results.
 */
export function byteLimits({ perSecond, burst }: IntakeLimits): IntakeLimits {
  return {
    perSecond: Math.max(leastBytes.perSecond, perSecond * bytesPerResult),
    burst: Math.max(leastBytes.burst, burst * bytesPerResult),
  };
}

/**
 * A token bucket that never refuses: `charge` returns how long to stop reading, so that a flood waits in the sender's
 * own buffers. Time in milliseconds on any monotonic clock. The limits may be changed at any time.
 */
export class IntakeBudget {
  limits: IntakeLimits;
  #tokens: number;
  #atMs: number;

  constructor(limits: IntakeLimits, nowMs: number) {
    this.limits = limits;
    this.#tokens = limits.burst;
    this.#atMs = nowMs;
  }

  /** Milliseconds until the budget is even again; 0 if nothing is owed. */
  charge(count: number, nowMs: number): number {
    const { perSecond, burst } = this.limits;
    const refill = (Math.max(0, nowMs - this.#atMs) * perSecond) / 1000;
    this.#tokens = Math.min(burst, this.#tokens + refill) - count;
    this.#atMs = nowMs;
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * 1000) / perSecond);
  }

  /** Nothing is owed any more. */
  settle(): void {
    this.#tokens = Math.max(0, this.#tokens);
  }
}

type Part = { budget: IntakeBudget; usedAtMs: number };

/**
 * One budget for several senders. Who stays within an equal part of it never waits; the others share what is left.
 * Senders are known by their ids, so that a new connection is no new budget, and forgotten when idle.
 */
export class SharedBudget {
  readonly #whole: IntakeBudget;
  readonly #parts = new Map<string, Part>();

  constructor(limits: IntakeLimits, nowMs: number) {
    this.#whole = new IntakeBudget(limits, nowMs);
  }

  set limits(limits: IntakeLimits) {
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

  #partOf(sender: string, nowMs: number): IntakeBudget {
    const part = this.#parts.get(sender);
    if (part !== undefined) {
      part.usedAtMs = nowMs;
      return part.budget;
    }
    for (const [id, { budget, usedAtMs }] of this.#parts)
      if (usedAtMs < nowMs - idleMs && budget.charge(0, nowMs) === 0) this.#parts.delete(id);
    const budget = new IntakeBudget(this.#whole.limits, nowMs);
    this.#parts.set(sender, { budget, usedAtMs: nowMs });
    this.#divide();
    return budget;
  }

  #divide(): void {
    const { perSecond, burst } = this.#whole.limits;
    const count = Math.max(1, this.#parts.size);
    for (const { budget } of this.#parts.values())
      budget.limits = { perSecond: perSecond / count, burst: burst / count };
  }
}
