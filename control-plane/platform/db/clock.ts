import { type Clock, systemClock } from '#shared/clock.ts';
import type { Sql } from './sql.ts';

/** Beyond this a replica is not ready: its machine's clock wants mending. */
export const clockOffsetMaxMs = 2000;

/** A measurement whose answer took longer says too little. */
const roundTripMaxMs = 1000;

/** Never stepped, unlike the machine's clock. */
const steadyClock: Clock = { now: () => performance.timeOrigin + performance.now() };

/**
 * The database's clock, read through a steady clock and a measured offset, so that all replicas expire votes and leases
 * by one clock, however wrong their own are, and also when one is stepped.
 */
export class DatabaseClock implements Clock {
  readonly #machine: Clock;
  readonly #steady: Clock;
  #aheadMs = 0;
  #isMeasured = false;

  constructor(machine: Clock = systemClock, steady: Clock = steadyClock) {
    this.#machine = machine;
    this.#steady = steady;
  }

  now(): number {
    return Math.round(this.#steady.now() + this.#aheadMs);
  }

  /** How far the database's clock is ahead of this machine's, in milliseconds. */
  get offsetMs(): number {
    return this.now() - this.#machine.now();
  }

  /** False until the database has said what time it is: until then this is the machine's clock, however wrong. */
  get isMeasured(): boolean {
    return this.#isMeasured;
  }

  /**
   * Asks the database. A difference that the round trip alone explains is ignored, so that time does not jitter.
   * False if the answer took too long to say anything.
   */
  async measure(sql: Sql): Promise<boolean> {
    const askedAt = this.#steady.now();
    const row = await sql.row<{ now: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`;
    const answeredAt = this.#steady.now();
    const roundTripMs = answeredAt - askedAt;
    if (row === null || roundTripMs < 0 || roundTripMs > roundTripMaxMs) return false;
    const measured = row.now - (askedAt + answeredAt) / 2;
    if (Math.abs(measured - this.#aheadMs) > roundTripMs / 2 + 1) this.#aheadMs = measured;
    this.#isMeasured = true;
    return true;
  }
}

/** Whether a clock may decide what time alone brings about: not one that still waits for the database's time. */
export function isTrusted(clock: Clock): boolean {
  return !(clock instanceof DatabaseClock) || clock.isMeasured;
}
