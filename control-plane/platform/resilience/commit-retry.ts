import { fullJitter } from '#shared/backoff.ts';
import { processTimers, type Timers } from '#shared/timers.ts';
import { classifyFault, type DatabaseFault, isDefect, isTimeout } from '../db/errors.ts';

export type RetryOptions = {
  /** How often an error is retried that is neither the server's absence nor the data, before the data is blamed. */
  unknownErrorRetries: number;
  /** How often a statement that took too long is retried before the data is blamed; for ever if not given. */
  timeoutRetries?: number;
  signal: AbortSignal;
  /** Whether the data is blamed at once for an error of our own code: where it is divided then, not lost. */
  blamesDefects?: boolean;
  /** Errors that neither waiting nor other data mends: they are thrown at once. */
  isFinal?(error: unknown): boolean;
  /** Called for the first failure, and for the one after which the data is blamed. */
  onFailure(error: unknown, fault: DatabaseFault): void;
  /** Those of the process if not given. */
  time?: Pick<Timers, 'wait'> & { random(): number };
};

const ownTime = { wait: processTimers.wait, random: Math.random };

/**
 * Retries until `commit` succeeds, 0.1 to 2.1 seconds apart. Null if the data is to blame: PostgreSQL rejected it, or
 * errors of an unknown kind did not end. Once the signal aborts it throws, at the latest with the next failure.
 */
export async function commitWithRetry<Result>(
  commit: () => Promise<Result>,
  {
    unknownErrorRetries,
    timeoutRetries = Number.POSITIVE_INFINITY,
    signal,
    blamesDefects = false,
    isFinal = () => false,
    onFailure,
    time = ownTime,
  }: RetryOptions,
): Promise<Result | null> {
  for (let failures = 0; ; failures++) {
    try {
      return await commit();
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
      const fault = classifyFault(error);
      const blamed =
        fault === 'data' ||
        (blamesDefects && isDefect(error)) ||
        (fault === 'other' && failures >= unknownErrorRetries) ||
        (isTimeout(error) && failures >= timeoutRetries);
      if (blamed || failures === 0) onFailure(error, fault);
      if (blamed) return null;
      await time.wait(100 + fullJitter(failures, 100, 2000, time.random()), { signal });
    }
  }
}

/**
 * Commits a batch, and if its data is rejected (`commit` returns null) its two halves, down to single items: a bad item
 * gets the outcome `rejected` and never takes its neighbours along. Errors that `commit` throws end it.
 */
export async function commitByBisection<Item, Outcome>(
  items: readonly Item[],
  commit: (items: readonly Item[]) => Promise<Outcome[] | null>,
  rejected: Outcome,
): Promise<Outcome[]> {
  if (items.length === 0) return [];
  const outcomes = await commit(items);
  if (outcomes !== null) return outcomes;
  if (items.length === 1) return [rejected];
  const half = Math.ceil(items.length / 2);
  const first = await commitByBisection(items.slice(0, half), commit, rejected);
  return [...first, ...(await commitByBisection(items.slice(half), commit, rejected))];
}
