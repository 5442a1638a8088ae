import { type ReadonlySignal, signal } from '@preact/signals';

const tickMs = 1000;

/** The server's time, each second while the page is visible. */
export function startClock(nowMs: () => number): { now: ReadonlySignal<number>; stop(): void } {
  const now = signal(nowMs());
  const tick = (): void => {
    if (!document.hidden) now.value = nowMs();
  };
  const timer = setInterval(tick, tickMs);
  document.addEventListener('visibilitychange', tick);
  const stop = (): void => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', tick);
  };
  return { now, stop };
}
