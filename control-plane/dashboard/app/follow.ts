import { ApiProblem } from './api.ts';

/** How current the shown data is. */
export type Freshness = {
  /** When the last complete answer came, by this machine's clock; null before the first. */
  asOf: number | null;
  /** Why the last try failed; null when it did not. */
  error: Error | null;
};

export type Follower = {
  /** Loads now; resolves when data newer than this call has come or the try failed. */
  refresh(): Promise<void>;
  stop(): void;
};

const backoffMaxMs = 60_000;

/** Loads again and again while the page is visible; waits longer after failures, and loads at once when it is shown or online again. */
export function follow(
  load: () => Promise<void>,
  everyMs: () => number,
  changed: (freshness: Freshness) => void,
): Follower {
  let freshness: Freshness = { asOf: null, error: null };
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | null = null;
  let stopped = false;

  const run = async (): Promise<void> => {
    try {
      await load();
      failures = 0;
      freshness = { asOf: Date.now(), error: null };
    } catch (error) {
      failures += 1;
      freshness = { ...freshness, error: error instanceof Error ? error : new Error(String(error)) };
    }
    if (!stopped) changed(freshness);
  };
  const cycle = async (): Promise<void> => {
    clearTimeout(timer);
    if (running === null) {
      running = run();
      await running;
      running = null;
    } else {
      await running;
    }
    clearTimeout(timer);
    const isFinal = freshness.error instanceof ApiProblem && [401, 403, 404].includes(freshness.error.status);
    if (stopped || document.hidden || (isFinal && freshness.asOf === null)) return;
    timer = setTimeout(cycle, Math.min(Math.max(backoffMaxMs, everyMs()), everyMs() * 2 ** Math.min(failures, 6)));
  };
  const wake = () => {
    if (!document.hidden) void cycle();
    else clearTimeout(timer);
  };
  document.addEventListener('visibilitychange', wake);
  addEventListener('online', wake);
  void cycle();
  return {
    refresh: async () => {
      // What is on its way may be older than what the caller just did.
      if (running !== null) await running;
      await cycle();
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', wake);
      removeEventListener('online', wake);
    },
  };
}
