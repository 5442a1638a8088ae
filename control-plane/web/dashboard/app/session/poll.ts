import { ApiProblem } from './api.ts';

/** How current the shown data is. */
export type Freshness = {
  /** When the last load succeeded, by this machine's clock; null before the first. */
  asOf: number | null;
  /** Why the last load failed; null if it succeeded. */
  error: Error | null;
};

export type Poller = {
  /** Loads now. Resolves when a load that began after this call has ended, whether or not it succeeded. */
  refresh(): Promise<void>;
  /** Shows what was loaded as possibly old, until a load succeeds. */
  doubt(): void;
  stop(): void;
};

/** Whether polling makes sense at the moment, and when to look again. */
export type PageVisibility = {
  isHidden(): boolean;
  /** Calls back when the page is shown, hidden, or online again; returns the function that ends it. */
  onChange(listener: () => void): () => void;
};

type PollOptions = {
  load(): Promise<void>;
  intervalMs(): number;
  onFreshness(freshness: Freshness): void;
  visibility?: PageVisibility;
  /** A load that takes longer is reported as lost while it goes on: a server that hangs must not look alive. */
  patienceMs?: number;
};

const backoffMaxMs = 60_000;
const usualPatienceMs = 4500;

/** Doubles with each failure in a row, up to a minute or the interval, whichever is longer. */
export function pollDelayMs(intervalMs: number, failures: number): number {
  return Math.min(Math.max(backoffMaxMs, intervalMs), intervalMs * 2 ** Math.min(failures, 6));
}

/** Loads repeatedly while the page is visible, and immediately when it is shown or online again, until stopped. */
export function startPolling(options: PollOptions): Poller {
  const { load, intervalMs, onFreshness, visibility = documentVisibility, patienceMs = usualPatienceMs } = options;
  let freshness: Freshness = { asOf: null, error: null };
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | null = null;
  let stopped = false;

  const doubt = (): void => {
    const error = Object.assign(new Error('no answer yet'), { name: 'TimeoutError' });
    if (!stopped && freshness.asOf !== null && freshness.error === null) onFreshness({ ...freshness, error });
  };
  const run = async (): Promise<void> => {
    const slow = setTimeout(doubt, patienceMs);
    try {
      await load();
      failures = 0;
      freshness = { asOf: Date.now(), error: null };
    } catch (error) {
      failures += 1;
      freshness = { ...freshness, error: error instanceof Error ? error : new Error(String(error)) };
    }
    clearTimeout(slow);
    if (!stopped) onFreshness(freshness);
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
    if (stopped || visibility.isHidden() || isFinal(freshness)) return;
    timer = setTimeout(cycle, pollDelayMs(intervalMs(), failures));
  };
  const onVisibility = () => {
    if (visibility.isHidden()) clearTimeout(timer);
    else void cycle();
  };
  const ignoreVisibility = visibility.onChange(onVisibility);
  void cycle();
  return {
    refresh: async () => {
      // A load that is already running may miss the change the caller just made.
      if (running !== null) await running;
      await cycle();
    },
    doubt,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      ignoreVisibility();
    },
  };
}

/** A first load that was refused will be refused again. */
function isFinal({ asOf, error }: Freshness): boolean {
  return asOf === null && error instanceof ApiProblem && [401, 403, 404].includes(error.status);
}

export const documentVisibility: PageVisibility = {
  isHidden: () => document.hidden,
  onChange: listener => {
    document.addEventListener('visibilitychange', listener);
    addEventListener('online', listener);
    return () => {
      document.removeEventListener('visibilitychange', listener);
      removeEventListener('online', listener);
    };
  },
};
