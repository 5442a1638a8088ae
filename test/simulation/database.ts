import type { Process } from './process.ts';
import type { Random } from './random.ts';
import { Rows } from './rows.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The server ends a transaction whose client sent nothing for so long (`db/pool.ts`). */
const idleMs = 5000;
/** How likely a trap is sprung by a transaction. */
const springs = 0.3;

/**
 * A serialisable database. A transaction takes effect at one instant, or not at all; its answer may be lost. A client
 * that dies or stands still in the middle may have sent its commit already.
 */
export class Database {
  readonly rows = new Rows();
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #committed: () => void;
  #awayUntil = 0;
  #slowUntil = 0;
  #starts = 0;

  constructor(time: VirtualTime, random: Random, committed: () => void) {
    this.#time = time;
    this.#random = random;
    this.#committed = committed;
  }

  /** How often it was started again. */
  get starts(): number {
    return this.#starts;
  }

  get isAway(): boolean {
    return this.#awayUntil > this.#time.now;
  }

  /** Its clock is the one that everything else follows. */
  now = (): number => Math.round(this.#time.now);

  /** Ends it, with all transactions under way. */
  kill(untilMs: number): void {
    this.#awayUntil = Math.max(untilMs, this.#awayUntil);
    this.#starts += 1;
  }

  slowDown(untilMs: number): void {
    this.#slowUntil = Math.max(untilMs, this.#slowUntil);
  }

  /** Throws as a client does that cannot reach it. */
  requirePresence(): void {
    if (this.isAway) throw away();
  }

  /** A body that is asynchronous waits for nothing but the rows. */
  transact<Result>(client: Process, body: (rows: Rows) => Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const start = this.#starts;
      const begunAt = this.#time.now;
      if (this.#random.chance(springs)) client.spring();
      const commit = () => {
        if (this.isAway || start !== this.#starts) return this.#answer(client, () => reject(away()));
        if (this.#time.now - begunAt > idleMs + this.#slownessMax()) return this.#answer(client, () => reject(away()));
        const succeed = (result: Result) => {
          this.rows.journal.length = 0;
          this.rows.xid += 1;
          this.#committed();
          this.#answer(client, () => (start === this.#starts ? resolve(result) : reject(away())));
        };
        const fail = (error: unknown) => {
          for (const undo of this.rows.journal.splice(0).reverse()) undo();
          this.#answer(client, () => reject(error));
        };
        try {
          const result = body(this.rows);
          if (result instanceof Promise) this.#time.finish(result.then(succeed, fail));
          else succeed(result);
        } catch (error) {
          fail(error);
        }
      };
      this.#time.after(this.#delay(), () => {
        const isSent = this.#random.chance(0.5);
        if (isSent && (client.stopped || !client.alive)) commit();
        else client.reach(commit);
      });
    });
  }

  #answer(client: Process, call: () => void): void {
    this.#time.after(this.#random.between(0, 3), () => client.reach(call));
  }

  #slownessMax(): number {
    return this.#slowUntil > 0 ? 4000 : 0;
  }

  #delay(): number {
    return this.#slowUntil > this.#time.now ? this.#random.between(100, 4000) : this.#random.between(0, 8);
  }
}

function away(): Error {
  return Object.assign(new Error('Connection terminated'), { code: 'ECONNRESET' });
}
