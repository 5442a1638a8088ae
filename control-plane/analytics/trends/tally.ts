import { addHalvesToSketch } from '../user-sets/sketch.ts';
import { addUser, emptySet, mergeSets, sizeOf, storedExactMax, type UserSet } from '../user-sets/user-set.ts';
import { bytesPerEvent, eachEvent } from './event-bytes.ts';
import type { Count } from './merge-cells.ts';

/** A sketch takes as much memory as a set of this many users. */
const usersPerSketch = 400;

const high = 2 ** 32;

type Bin = { events: number; users: UserSet };

/** Events and users of one value by bucket, and of all buckets together. */
export class Tally {
  readonly total: Count = { events: 0, users: 0 };
  readonly #open = new Map<number, Bin>();
  readonly #closed = new Map<number, Count>();
  #users: UserSet = emptySet();

  /** Adds events as `listByValue` reads them; `first`: the bucket of their beginning. */
  add(first: number, events: Buffer): void {
    let [bin, of] = [this.#binOf(first), 0];
    eachEvent(events, (bucket, top, bottom) => {
      if (bucket !== of) [bin, of] = [this.#binOf(first + bucket), bucket];
      bin.events += 1;
      if (top < 0) return;
      const { users } = bin;
      // Of the large sets that take the time.
      if (users.kind === 'sketch') addHalvesToSketch(users.sketch, top, bottom);
      else bin.users = addUser(users, top * high + bottom, storedExactMax);
    });
    this.total.events += events.length / bytesPerEvent;
  }

  /** Adds what another counted, of which nothing is closed. */
  merge(other: Tally): void {
    this.total.events += other.total.events;
    for (const [bucket, { events, users }] of other.#open) {
      const bin = this.#binOf(bucket);
      bin.events += events;
      bin.users = mergeSets(bin.users, users, storedExactMax);
    }
  }

  /** Of buckets before this one only the numbers stay in memory. */
  close(before: number): void {
    for (const [bucket, { events, users }] of this.#open) {
      if (bucket >= before) continue;
      this.#closed.set(bucket, { events, users: sizeOf(users) });
      this.#users = mergeSets(this.#users, users, storedExactMax);
      this.#open.delete(bucket);
    }
    this.total.users = sizeOf(this.#users);
  }

  /** Counts of each bucket up to `length`; all of them are closed. */
  data(length: number): Count[] {
    return Array.from({ length }, (_, bucket) => this.#closed.get(bucket) ?? { events: 0, users: 0 });
  }

  /** Whether a number of users may be one of a sketch. */
  get isEstimated(): boolean {
    return this.#users.kind === 'sketch';
  }

  /** How many users take the memory of what is open. */
  get weight(): number {
    let weight = 0;
    for (const { users } of this.#open.values()) weight += users.kind === 'exact' ? users.users.size : usersPerSketch;
    return weight;
  }

  #binOf(bucket: number): Bin {
    const bin = this.#open.get(bucket) ?? { events: 0, users: emptySet() };
    this.#open.set(bucket, bin);
    return bin;
  }
}
