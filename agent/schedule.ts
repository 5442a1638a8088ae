import type { Clock } from '#shared/clock.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { nextSlot, slotsBetween } from '#shared/slots.ts';
import { SlotHeap } from './slot-heap.ts';

/** Why a slot was not run. */
export type MissedReason = 'previous_running' | 'overloaded' | 'suspended';

/** Starts one run of a monitor; resolves when it is over, second attempt included. Null: there is no room for it. */
export type StartRun = (
  assignment: Assignment,
  kind: 'scheduled' | 'confirm',
  scheduledAt: number,
) => Promise<void> | null;

type Entry = {
  assignment: Assignment;
  nextSlotMs: number;
  placeInHeap: number;
  running: boolean;
  confirmAt: number;
  confirmWaits: boolean;
};

/** A slot found later than this was slept through: it is counted, not run in a burst with all the others. */
const lateMaxMs = 2000;
/** The timer looks at the clock at least so often, as the clock may be corrected at any time. */
const sleepMaxMs = 1000;
/** A next slot further off than an interval and this belongs to a time line that was given up. */
const driftMaxMs = 60_000;

/** Runs each slot of each monitor once, or counts it as missed. A monitor never runs twice at once. */
export class Schedule {
  readonly #clock: Clock;
  readonly #start: StartRun;
  readonly #missed: (reason: MissedReason, count: number) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #heap = new SlotHeap<Entry>();
  #timer: NodeJS.Timeout | undefined;
  #wakesAtMs = Number.POSITIVE_INFINITY;
  #on = false;

  constructor(clock: Clock, start: StartRun, missed: (reason: MissedReason, count: number) => void) {
    this.#clock = clock;
    this.#start = start;
    this.#missed = missed;
  }

  run(): void {
    this.#on = true;
    this.#arm();
  }

  /** No run starts after this. */
  stop(): void {
    this.#on = false;
    clearTimeout(this.#timer);
  }

  put(assignment: Assignment): void {
    const held = this.#entries.get(assignment.monitor_id);
    const now = this.#clock.now();
    if (held === undefined) return this.#add(assignment, now);
    const before = held.assignment;
    held.assignment = assignment;
    if (before.interval_ms === assignment.interval_ms && before.offset_ms === assignment.offset_ms) return;
    // Never back over a slot that ran.
    const ran = held.nextSlotMs - before.interval_ms;
    held.nextSlotMs = nextSlot(Math.max(now, ran), assignment.interval_ms, assignment.offset_ms);
    this.#heap.place(held);
    this.#arm();
  }

  drop(monitorId: string): void {
    const entry = this.#entries.get(monitorId);
    if (entry === undefined) return;
    this.#entries.delete(monitorId);
    this.#heap.remove(entry);
    entry.confirmWaits = false;
  }

  /** Runs a monitor at once, or right after the run it is in. */
  checkNow(monitorId: string, configVersion: number, at: number): void {
    const entry = this.#entries.get(monitorId);
    if (!this.#on || entry === undefined || entry.assignment.config_version !== configVersion) return;
    if (entry.confirmAt === at) return;
    entry.confirmAt = at;
    if (entry.running) entry.confirmWaits = true;
    else this.#begin(entry, 'confirm', at);
  }

  /** Starts what is due; milliseconds until it wants to be called again. */
  tick(): number {
    const now = this.#clock.now();
    for (let entry = this.#heap.first; entry !== undefined && entry.nextSlotMs <= now; entry = this.#heap.first)
      this.#takeSlot(entry, now);
    const first = this.#heap.first;
    if (first === undefined) return sleepMaxMs;
    if (first.nextSlotMs - now > first.assignment.interval_ms + driftMaxMs) this.#replan(now);
    return Math.max(1, Math.min(sleepMaxMs, (this.#heap.first?.nextSlotMs ?? now) - now));
  }

  #add(assignment: Assignment, now: number): void {
    const entry: Entry = {
      assignment,
      nextSlotMs: nextSlot(now, assignment.interval_ms, assignment.offset_ms),
      placeInHeap: -1,
      running: false,
      confirmAt: -1,
      confirmWaits: false,
    };
    this.#entries.set(assignment.monitor_id, entry);
    this.#heap.place(entry);
    this.#arm();
  }

  #takeSlot(entry: Entry, now: number): void {
    const { interval_ms: interval, offset_ms: offset } = entry.assignment;
    const slot = entry.nextSlotMs;
    const skipped = slotsBetween(slot, now, interval, offset);
    entry.nextSlotMs = nextSlot(now, interval, offset);
    this.#heap.place(entry);
    // Of the slots passed by only the newest may still be fresh enough to run.
    const newest = skipped === 0 ? slot : entry.nextSlotMs - interval;
    const fresh = now - newest <= lateMaxMs;
    const slept = skipped + (fresh ? 0 : 1);
    if (slept > 0) this.#missed('suspended', slept);
    if (!fresh) return;
    if (entry.running) this.#missed('previous_running', 1);
    else if (!this.#begin(entry, 'scheduled', newest)) this.#missed('overloaded', 1);
  }

  #begin(entry: Entry, kind: 'scheduled' | 'confirm', scheduledAt: number): boolean {
    const run = this.#start(entry.assignment, kind, scheduledAt);
    if (run === null) return false;
    entry.running = true;
    run.then(() => this.#ended(entry));
    return true;
  }

  #ended(entry: Entry): void {
    entry.running = false;
    if (!entry.confirmWaits || !this.#on) return;
    entry.confirmWaits = false;
    this.#begin(entry, 'confirm', entry.confirmAt);
  }

  #replan(now: number): void {
    for (const entry of this.#entries.values()) {
      entry.nextSlotMs = nextSlot(now, entry.assignment.interval_ms, entry.assignment.offset_ms);
      this.#heap.place(entry);
    }
  }

  #arm(): void {
    if (!this.#on) return;
    const dueInMs = Math.min(
      sleepMaxMs,
      (this.#heap.first?.nextSlotMs ?? Number.POSITIVE_INFINITY) - this.#clock.now(),
    );
    const wakesAtMs = performance.now() + Math.max(1, dueInMs);
    if (this.#timer !== undefined && wakesAtMs >= this.#wakesAtMs - 1) return;
    this.#wakeAt(wakesAtMs);
  }

  #wakeAt(wakesAtMs: number): void {
    clearTimeout(this.#timer);
    this.#wakesAtMs = wakesAtMs;
    this.#timer = setTimeout(
      () => {
        const waitMs = this.tick();
        if (this.#on) this.#wakeAt(performance.now() + waitMs);
      },
      Math.max(0, wakesAtMs - performance.now()),
    );
  }
}
