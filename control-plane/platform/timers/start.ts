import type { Logger } from '#shared/log.ts';
import { processTimers, type Timers } from '#shared/timers.ts';
import type { LeaseHolder } from '../db/lease.ts';
import { PauseWatch } from './pause-watch.ts';
import { type FindDue, runWhenDue } from './run-when-due.ts';
import type { DueTimer, Timer } from './timers.ts';
import { type Running, Turns } from './turns.ts';

export type TimerServices = {
  leases: LeaseHolder;
  log: Logger;
  findDue: FindDue;
  time?: Timers;
  pauses?: PauseWatch;
};

/** All at once, the first runs of a process would wait for the connections of each other. */
const startGapMs = 25;

/** Runs the timers until they are disposed, which waits for those under way and releases their leases. */
export function startTimers(timers: readonly Timer[], services: TimerServices): AsyncDisposable {
  const { leases, log, findDue, time = processTimers, pauses = new PauseWatch() } = services;
  const abort = new AbortController();
  const running: Running = { leases, pauses, signal: abort.signal, log, time };
  const [conditional, unconditional] = [timers.filter(hasDue), timers.filter(timer => !hasDue(timer))];
  const asked = new Map(conditional.map(timer => [timer, new Turns(timer, running)]));
  const repeated = unconditional.map((timer, index) => repeat(new Turns(timer, running), running, index * startGapMs));
  const all = asked.size === 0 ? repeated : [...repeated, runWhenDue(asked, findDue, running)];
  return {
    [Symbol.asyncDispose]: async () => {
      abort.abort();
      pauses[Symbol.dispose]();
      await Promise.allSettled(all);
      // Another replica takes over at once instead of when the lease runs out.
      const leased = timers.filter(timer => timer.leaseMs !== undefined).map(timer => timer.name);
      if (leased.length > 0) await leases.release(...leased).catch(() => {});
    },
  };
}

function hasDue(timer: Timer): timer is DueTimer {
  return timer.due !== undefined;
}

async function repeat(turns: Turns, { signal, time }: Running, startMs: number): Promise<void> {
  if (startMs > 0) await time.wait(startMs, { signal }).catch(() => {});
  while (!signal.aborted) {
    if (turns.mayRun()) await turns.run();
    await time.wait(turns.timer.everyMs, { signal }).catch(() => {});
  }
}
