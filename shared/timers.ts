import { wait } from './wait.ts';

/** Something that will be called. */
export type Timer = { cancel(): void };

/** Monotonic time and what happens by it. A simulation has its own. */
export type Timers = {
  /** Milliseconds. */
  now(): number;
  /** `ref: false` lets the process end meanwhile. */
  after(ms: number, call: () => void, options?: { ref?: boolean }): Timer;
  every(ms: number, call: () => void, options?: { ref?: boolean }): Timer;
  wait: typeof wait;
};

/** Those of the process. */
export const processTimers: Timers = {
  now: () => performance.now(),
  after: (ms, call, { ref = true } = {}) => {
    const timer = setTimeout(call, ms);
    if (!ref) timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
  every: (ms, call, { ref = true } = {}) => {
    const timer = setInterval(call, ms);
    if (!ref) timer.unref();
    return { cancel: () => clearInterval(timer) };
  },
  wait,
};
