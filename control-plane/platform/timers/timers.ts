import type { Logger } from '#shared/log.ts';
import { processTimers, type Timers } from '#shared/timers.ts';
import type { LeaseHolder } from '../db/lease.ts';
import type { CommitTimes, Writer } from '../http/commit-times.ts';
import { warnThrottled } from '../resilience/throttled-warning.ts';
import { PauseWatch } from './pause-watch.ts';

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
  run(signal: AbortSignal): Promise<unknown>;
};

/** Runs the timers until they are disposed, which waits for those under way and releases their leases. */
export function startTimers(
  timers: readonly Timer[],
  leases: LeaseHolder,
  log: Logger,
  time: Timers = processTimers,
  pauses = new PauseWatch(),
): AsyncDisposable {
  const abort = new AbortController();
  const running = timers.map(timer => repeat(timer, { leases, pauses, signal: abort.signal, log, time }));
  return {
    [Symbol.asyncDispose]: async () => {
      abort.abort();
      pauses[Symbol.dispose]();
      await Promise.allSettled(running);
      // Another replica takes over at once instead of when the lease runs out.
      const leased = timers.filter(timer => timer.leaseMs !== undefined);
      await Promise.allSettled(leased.map(timer => leases.release(timer.name)));
    },
  };
}

type Running = { leases: LeaseHolder; pauses: PauseWatch; signal: AbortSignal; log: Logger; time: Timers };

async function repeat(timer: Timer, { leases, pauses, signal, log, time }: Running): Promise<void> {
  const warn = warnThrottled(log, 'a timer failed and will try again', { timer: timer.name });
  const gapMs = timer.hold?.gapMs ?? 0;
  let notBefore = time.now() + (timer.hold?.startMs ?? 0);
  while (!signal.aborted) {
    const nowMs = time.now();
    const heldUntil = () => (gapMs > 0 ? pauses.endedAt(time.now()) + gapMs : Number.NEGATIVE_INFINITY);
    notBefore = Math.max(notBefore, heldUntil());
    if (nowMs >= notBefore) {
      try {
        // A pause may end while the lease is asked for.
        const isOurs = timer.leaseMs === undefined || (await leases.take(timer.name, timer.leaseMs)) !== null;
        if (isOurs && time.now() >= heldUntil()) await runRenewing(timer, { leases, signal, time });
        notBefore = time.now() + (timer.restMs ?? 0);
      } catch (error) {
        if (!signal.aborted) warn(error);
        notBefore = time.now() + gapMs;
      }
    }
    await time.wait(timer.everyMs, { signal }).catch(() => {});
  }
}

async function runRenewing(timer: Timer, { leases, signal, time }: Pick<Running, 'leases' | 'signal' | 'time'>) {
  const { name, leaseMs, renewsLease = false } = timer;
  if (leaseMs === undefined || !renewsLease) return timer.run(signal);
  let taking: Promise<void> | null = null;
  const renew = async () => {
    await leases.take(name, leaseMs).catch(() => null);
    taking = null;
  };
  const renewing = time.every(leaseMs / 3, () => {
    taking ??= renew();
  });
  try {
    await timer.run(signal);
  } finally {
    renewing.cancel();
    await taking;
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
