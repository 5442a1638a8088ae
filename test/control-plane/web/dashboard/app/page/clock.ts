type Timer = { atMs: number; everyMs: number | null; run(): void };

/** The time of a page: it stands still until a test moves it. */
export type PageClock = {
  nowMs(): number;
  /** Moves to the next timer that is due until then and runs it; false if there is none. */
  runNext(untilMs: number): boolean;
  moveTo(ms: number): void;
  timers: Pick<typeof globalThis, 'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval'>;
  Date: DateConstructor;
};

export function pageClock(startMs: number): PageClock {
  const timers = new Map<number, Timer>();
  let now = startMs;
  let lastId = 0;
  const add = (run: () => void, ms: number, everyMs: number | null): number => {
    lastId += 1;
    timers.set(lastId, { atMs: now + ms, everyMs, run });
    return lastId;
  };
  const clear = (id: unknown) => timers.delete(Number(id));
  const runNext = (untilMs: number): boolean => {
    const [next] = [...timers].sort(([, left], [, right]) => left.atMs - right.atMs);
    if (next === undefined || next[1].atMs > untilMs) return false;
    const [id, timer] = next;
    now = Math.max(now, timer.atMs);
    if (timer.everyMs === null) timers.delete(id);
    else timers.set(id, { ...timer, atMs: timer.atMs + timer.everyMs });
    timer.run();
    return true;
  };
  return {
    nowMs: () => now,
    runNext,
    moveTo: ms => {
      now = Math.max(now, ms);
    },
    timers: {
      setTimeout: (run: () => void, ms = 0) => add(run, ms, null),
      clearTimeout: clear,
      setInterval: (run: () => void, ms = 0) => add(run, ms, Math.max(1, ms)),
      clearInterval: clear,
    } as unknown as PageClock['timers'],
    Date: dateAt(() => now),
  };
}

function dateAt(nowMs: () => number): DateConstructor {
  return class extends Date {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [nowMs()] : given) as [number]));
    }
    static override now(): number {
      return nowMs();
    }
  } as DateConstructor;
}
