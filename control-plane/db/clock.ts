import { type Clock, systemClock } from '#shared/clock.ts';
import type { Sql } from './sql.ts';

/** Beyond this a replica is not ready: its machine's clock wants mending. */
export const clockOffsetMaxMs = 2000;

/** A measurement whose answer took longer says too little. */
const roundTripMaxMs = 1000;

/**
 * The database's clock, read through this machine's and a measured offset, so that all replicas expire votes and leases
 * by one clock, however wrong their own are.
 */
export class DatabaseClock implements Clock {
  readonly #machine: Clock;
  #offsetMs = 0;

  constructor(machine: Clock = systemClock) {
    this.#machine = machine;
  }

  now(): number {
    return Math.round(this.#machine.now() + this.#offsetMs);
  }

  /** How far the database's clock is ahead of this machine's, in milliseconds. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /**
   * Asks the database. A difference that the round trip alone explains is ignored, so that time does not jitter.
   * False if the answer took too long to say anything.
   */
  async measure(sql: Sql): Promise<boolean> {
    const askedAt = this.#machine.now();
    const row = await sql.row<{ now: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`;
    const answeredAt = this.#machine.now();
    const roundTripMs = answeredAt - askedAt;
    if (row === null || roundTripMs < 0 || roundTripMs > roundTripMaxMs) return false;
    const measured = row.now - (askedAt + answeredAt) / 2;
    if (Math.abs(measured - this.#offsetMs) > roundTripMs / 2 + 1) this.#offsetMs = measured;
    return true;
  }
}
