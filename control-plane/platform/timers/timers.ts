import type { Fragment } from '../db/sql.ts';
import type { CommitTimes, Writer } from '../http/commit-times.ts';

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
   * A condition of SQL that holds whenever there is something to do. It must be cheap, and may hold more often. It
   * then runs at most every `everyMs` while it holds, and every few seconds otherwise.
   */
  due?: (nowMs: number) => Fragment;
  run(signal: AbortSignal): Promise<unknown>;
};

/** A timer that says when it has something to do. */
export type DueTimer = Timer & Required<Pick<Timer, 'due'>>;

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
