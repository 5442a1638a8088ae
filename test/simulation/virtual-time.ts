import type { Timer } from '#shared/timers.ts';

type Due = { at: number; order: number; call: (() => void) | null };

/** Turns of the microtask queue after each event: what awaits longer goes on with the next event, always the same. */
const turns = 6;

/** What is due, in order of time and, at one instant, of its planning. True time: no process knows it. */
export class VirtualTime {
  now: number;
  events = 0;
  /** Nothing more happens. */
  halted = false;
  #planned = 0;
  #atOnce: Promise<unknown> | null = null;
  readonly #heap: Due[] = [];

  constructor(startMs: number) {
    this.now = startMs;
  }

  after(ms: number, call: () => void): Timer {
    const due: Due = { at: this.now + Math.max(0, ms), order: this.#planned++, call };
    this.#rise(this.#heap.push(due) - 1, due);
    return {
      cancel: () => {
        due.call = null;
      },
    };
  }

  /** Nothing else happens until this work of the event under way has ended. It waits for nothing but itself. */
  finish(work: Promise<unknown>): void {
    this.#atOnce = work;
  }

  /** Makes everything happen until an instant. */
  async run(untilMs: number): Promise<void> {
    for (let first = this.#heap[0]; first !== undefined && first.at <= untilMs && !this.halted; first = this.#heap[0]) {
      this.#removeFirst();
      if (first.call === null) continue;
      this.now = first.at;
      this.events += 1;
      first.call();
      while (this.#atOnce !== null) {
        const work = this.#atOnce;
        this.#atOnce = null;
        await work;
      }
      for (let turn = 0; turn < turns; turn++) await null;
    }
    if (!this.halted) this.now = untilMs;
  }

  #rise(start: number, due: Due): void {
    let index = start;
    for (; index > 0; ) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#heap[parentIndex];
      if (parent === undefined || !isBefore(due, parent)) break;
      this.#heap[index] = parent;
      index = parentIndex;
    }
    this.#heap[index] = due;
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    let index = 0;
    for (;;) {
      const [left, right] = [this.#heap[2 * index + 1], this.#heap[2 * index + 2]];
      if (left === undefined) break;
      const [child, step] = right !== undefined && isBefore(right, left) ? [right, 2] : [left, 1];
      if (!isBefore(child, last)) break;
      this.#heap[index] = child;
      index = 2 * index + step;
    }
    this.#heap[index] = last;
  }
}

function isBefore(left: Due, right: Due): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order);
}
