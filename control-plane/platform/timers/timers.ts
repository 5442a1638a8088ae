import type { Logger } from '#shared/log.ts';
import { processTimers, type Timers } from '#shared/timers.ts';
import type { LeaseHolder } from '../db/lease.ts';
import type { Fragment } from '../db/sql.ts';
import type { CommitTimes, Writer } from '../http/commit-times.ts';
import { PauseWatch } from './pause-watch.ts';
import { type FindDue, runWhenDue } from './run-when-due.ts';
import { type Running, Turns } from './turns.ts';

/** Work that happens by time. It never runs twice at once on a replica, and goes on after a failure. */
export type Timer = {
  /** Also the name of its lease. */
  name: string;
  everyMs: number;
  /** Only the holder of its lease runs it. If the holder dies, another replica takes over after this time. */
  leaseMs?: number;
  /** The holder renews its lease while it works, so that the lease may be shorter than the work. */
  renewsLease?: boolean;
  /** It does not run for `startMs` after the start, nor for `gapMs` after a failure or a pause of the process. */
  hold?: { startMs: number; gapMs: number };
  /** After a success it does not run for this time. */
  restMs?: number;
  /**
   * A condition of SQL that holds whenever there is something to do. It must be cheap, and may hold more often. The timer
   * then runs at most every `everyMs` while it holds, and every few seconds otherwise.
   */
  due?: (nowMs: number) => Fragment;
  run(signal: AbortSignal): Promise<unknown>;
};

/** A timer that says when it has something to do. */
export type DueTimer = Timer & Required<Pick<Timer, 'due'>>;

export type TimerServices = {
  leases: LeaseHolder;
  log: Logger;
  findDue: FindDue;
  time?: Timers;
  pauses?: PauseWatch;
};

/** Runs the timers until they are disposed, which waits for those under way and releases their leases. */
export function startTimers(timers: readonly Timer[], services: TimerServices): AsyncDisposable {
  const { leases, log, findDue, time = processTimers, pauses = new PauseWatch() } = services;
  const abort = new AbortController();
  const running: Running = { leases, pauses, signal: abort.signal, log, time };
  const [conditional, unconditional] = [timers.filter(hasDue), timers.filter(timer => !hasDue(timer))];
  const asked = new Map(conditional.map(timer => [timer, new Turns(timer, running)]));
  const repeated = unconditional.map(timer => repeat(new Turns(timer, running), running));
  const all = asked.size === 0 ? repeated : [...repeated, runWhenDue(asked, findDue, running)];
  return {
    [Symbol.asyncDispose]: async () => {
      abort.abort();
      pauses[Symbol.dispose]();
      await Promise.allSettled(all);
      // Another replica takes over at once instead of when the lease runs out.
      const leased = timers.filter(timer => timer.leaseMs !== undefined);
      await Promise.allSettled(leased.map(timer => leases.release(timer.name)));
    },
  };
}

function hasDue(timer: Timer): timer is DueTimer {
  return timer.due !== undefined;
}

async function repeat(turns: Turns, { signal, time }: Running): Promise<void> {
  while (!signal.aborted) {
    if (turns.mayRun()) await turns.run();
    await time.wait(turns.timer.everyMs, { signal }).catch(() => {});
  }
}

/** Repeats work that returns how much it did, while there is more, but not past a stop. `done` is called each time. */
export async function drain(signal: AbortSignal, work: () => Promise<number>, done?: () => void): Promise<void> {
  for (let did = 1; did > 0 && !signal.aborted; ) {
    did = await work();
    done?.();
  }
}

/** Work that is repeated until nothing is left. Each turn counts as a commit of the writer. */
export function draining(commits: CommitTimes, writer: Writer, work: () => Promise<number>): Timer['run'] {
  return signal => drain(signal, work, () => commits.mark(writer));
}
