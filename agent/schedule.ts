import type { Clock } from '#shared/clock.ts';
import { minuteMs } from '#shared/duration.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { nextSlot, slotsBetween } from '#shared/slots.ts';
import { processTimers, type Timer, type Timers } from '#shared/timers.ts';
import { SlotHeap } from './slot-heap.ts';

/** Why a slot was missed. `suspended`: the host slept, or its clock jumped, past the slot. */
export type MissedReason = 'previous_running' | 'overloaded' | 'suspended';

/** Starts one run of a monitor; resolves when it has ended, second attempt included. Null when the queue is full. */
export type StartRun = (
  assignment: Assignment,
  kind: 'scheduled' | 'confirm',
  scheduledAt: number,
) => Promise<void> | null;

type Entry = {
  assignment: Assignment;
  nextSlotMs: number;
  /** The newest slot that was run or missed. */
  passedSlotMs: number;
  heapIndex: number;
  running: boolean;
  confirmAt: number;
  confirmKind: 'scheduled' | 'confirm';
  confirmPending: boolean;
};

/** A slot found later than this was slept through: it counts as missed, so that a wake-up starts no burst of runs. */
const lateMaxMs = 2000;
/** Checks due within this time after others start together: what one leaves in the caches serves the next. */
const gatherMs = 20;
/** The clock may be corrected at any time, so the timer reads it at least once per second. */
const sleepMaxMs = 1000;
/** A next slot more than an interval plus this ahead was computed before the clock was set back. */
const driftMaxMs = minuteMs;

/**
 * Starts each slot of each monitor exactly once, or counts it as missed. Runs of one monitor never overlap.
 * Starts nothing before `run()`; `stop()` clears its timer.
 */
export class Schedule {
  readonly #clock: Clock;
  readonly #start: StartRun;
  readonly #missed: (reason: MissedReason, count: number) => void;
  readonly #timers: Timers;
  readonly #entries = new Map<string, Entry>();
  readonly #heap = new SlotHeap<Entry>();
  #timer: Timer | undefined;
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #active = false;

  constructor(
    clock: Clock,
    start: StartRun,
    missed: (reason: MissedReason, count: number) => void,
    timers: Timers = processTimers,
  ) {
    this.#clock = clock;
    this.#timers = timers;
    this.#start = start;
    this.#missed = missed;
  }

  /** Starts the timer. */
  run(): void {
    this.#active = true;
    this.#arm();
  }

  /** Starts no more runs; those in progress are not interrupted. */
  stop(): void {
    this.#active = false;
    this.#timer?.cancel();
  }

  /** Adds a monitor or replaces its assignment. Keeps its next slot unless interval or offset changed. */
  put(assignment: Assignment): void {
    const entry = this.#entries.get(assignment.monitor_id);
    const now = this.#clock.now();
    if (entry === undefined) return this.#add(assignment, now);
    const before = entry.assignment;
    entry.assignment = assignment;
    if (before.interval_ms === assignment.interval_ms && before.offset_ms === assignment.offset_ms) return;
    // The new schedule must not repeat a slot that already passed, unless the clock was set back by far.
    const isPast = entry.passedSlotMs - now <= driftMaxMs;
    const sinceMs = isPast ? Math.max(now, entry.passedSlotMs) : now;
    entry.nextSlotMs = nextSlot(sinceMs, assignment.interval_ms, assignment.offset_ms);
    this.#heap.put(entry);
    this.#arm();
  }

  /** Removes a monitor; a run in progress ends normally, and a waiting confirmation is cancelled. */
  drop(monitorId: string): void {
    const entry = this.#entries.get(monitorId);
    if (entry === undefined) return;
    this.#entries.delete(monitorId);
    this.#heap.remove(entry);
    entry.confirmPending = false;
  }

  /** Runs a monitor immediately, or right after its current run. Ignores another configuration version. */
  checkNow(monitorId: string, configVersion: number, at: number, kind: Entry['confirmKind'] = 'confirm'): void {
    const entry = this.#entries.get(monitorId);
    if (!this.#active || entry === undefined || entry.assignment.config_version !== configVersion) return;
    if (entry.confirmAt === at) return;
    entry.confirmAt = at;
    entry.confirmKind = kind;
    if (entry.running) entry.confirmPending = true;
    else this.#startRun(entry, kind, at);
  }

  /** Starts every due slot; returns the milliseconds until the next call, from 20 to 1000. */
  tick(): number {
    const now = this.#clock.now();
    for (let entry = this.#heap.first; entry !== undefined && entry.nextSlotMs <= now; entry = this.#heap.first)
      this.#passSlot(entry, now);
    const first = this.#heap.first;
    if (first === undefined) return sleepMaxMs;
    if (first.nextSlotMs - now > first.assignment.interval_ms + driftMaxMs) this.#recomputeSlots(now);
    return Math.max(gatherMs, Math.min(sleepMaxMs, (this.#heap.first?.nextSlotMs ?? now) - now));
  }

  #add(assignment: Assignment, now: number): void {
    const entry: Entry = {
      assignment,
      nextSlotMs: nextSlot(now, assignment.interval_ms, assignment.offset_ms),
      passedSlotMs: Number.NEGATIVE_INFINITY,
      heapIndex: -1,
      running: false,
      confirmAt: -1,
      confirmKind: 'confirm',
      confirmPending: false,
    };
    this.#entries.set(assignment.monitor_id, entry);
    this.#heap.put(entry);
    this.#arm();
  }

  #passSlot(entry: Entry, now: number): void {
    const { interval_ms: interval, offset_ms: offset } = entry.assignment;
    const slot = entry.nextSlotMs;
    const skipped = slotsBetween(slot, now, interval, offset);
    entry.nextSlotMs = nextSlot(now, interval, offset);
    this.#heap.put(entry);
    // Of the slots that have passed, only the newest can be fresh enough to run.
    const newest = skipped === 0 ? slot : entry.nextSlotMs - interval;
    entry.passedSlotMs = newest;
    const fresh = now - newest <= lateMaxMs;
    const suspended = skipped + (fresh ? 0 : 1);
    if (suspended > 0) this.#missed('suspended', suspended);
    if (!fresh) return;
    if (entry.running) this.#missed('previous_running', 1);
    else if (!this.#startRun(entry, 'scheduled', newest)) this.#missed('overloaded', 1);
  }

  #startRun(entry: Entry, kind: 'scheduled' | 'confirm', scheduledAt: number): boolean {
    const run = this.#start(entry.assignment, kind, scheduledAt);
    if (run === null) return false;
    entry.running = true;
    run.then(() => this.#onRunEnd(entry));
    return true;
  }

  #onRunEnd(entry: Entry): void {
    entry.running = false;
    if (!entry.confirmPending || !this.#active) return;
    entry.confirmPending = false;
    this.#startRun(entry, entry.confirmKind, entry.confirmAt);
  }

  #recomputeSlots(now: number): void {
    for (const entry of this.#entries.values()) {
      entry.nextSlotMs = nextSlot(now, entry.assignment.interval_ms, entry.assignment.offset_ms);
      entry.passedSlotMs = Number.NEGATIVE_INFINITY;
      this.#heap.put(entry);
    }
  }

  #arm(): void {
    if (!this.#active) return;
    const dueInMs = Math.min(
      sleepMaxMs,
      (this.#heap.first?.nextSlotMs ?? Number.POSITIVE_INFINITY) - this.#clock.now(),
    );
    const wakeAtMs = this.#timers.now() + Math.max(1, dueInMs);
    if (this.#timer !== undefined && wakeAtMs >= this.#wakeAtMs - 1) return;
    this.#wakeAt(wakeAtMs);
  }

  #wakeAt(wakeAtMs: number): void {
    this.#timer?.cancel();
    this.#wakeAtMs = wakeAtMs;
    this.#timer = this.#timers.after(Math.max(0, wakeAtMs - this.#timers.now()), () => {
      const waitMs = this.tick();
      if (this.#active) this.#wakeAt(this.#timers.now() + waitMs);
    });
  }
}
