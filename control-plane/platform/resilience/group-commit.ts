import { FairQueue } from './fair-queue.ts';

/**
 * Commits the items of many callers together: what arrives while a transaction runs is in the next one. Opens nothing
 * and needs no disposal while nothing is queued; `stop` ends it.
 */
export type GroupCommit<Item, Outcome> = {
  /**
   * Queues the items and resolves after their commit, with one outcome per item in the same order. Rejects with the
   * error of their commit, or with `refusal()` once stopped. It does not check `full`: the caller does, before it adds.
   * Lanes are served in turn.
   */
  add(items: readonly Item[], lane?: string): Promise<Outcome[]>;
  /** True if items for `count` more places would exceed a bound of the queue or the lane. */
  full(count?: number, lane?: string): boolean;
  /** Resolves at once if queue and lane are not full, otherwise when less than half of their bounds is left. */
  drained(lane?: string): Promise<void>;
  /** How long the oldest item that is not committed has waited, in milliseconds; 0 if there is none. */
  waitingMs(): number;
  /** Commits what is queued within the given time, then aborts the running commits and rejects the rest. */
  stop(withinMs: number): Promise<void>;
};

export type GroupCommitOptions<Item, Outcome> = {
  /** Items per commit; one caller's larger list is committed by itself. */
  batchMax: number;
  /** Places that items queued or being committed take. */
  queuedMax: number;
  /** The same of one lane; `queuedMax` if not given. */
  laneMax?: number;
  /** How many places an item takes; one if not given. */
  placesOf?(item: Item): number;
  /** Commits at the same time. */
  concurrency: number;
  /** What a caller's items cost beside their number, in bytes for example, and how much may be queued. */
  cost?: { of(item: Item): number; max: number };
  /**
   * Returns one outcome per item, in order, after the commit. An outcome that is a promise is left to settle by itself
   * while the next batch is committed. `signal` aborts when the time to stop is over.
   */
  commit(items: readonly Item[], signal: AbortSignal): Promise<readonly (Outcome | Promise<Outcome>)[]>;
  /** The error of items that come after `stop`, or are left when its time is over. */
  refusal(): Error;
  /** Called with the number of items queued or being committed whenever it changes. */
  onQueued?(count: number): void;
};

type Group<Item, Outcome> = {
  items: readonly Item[];
  size: number;
  places: number;
  lane: string;
  addedAt: number;
  cost: number;
  resolve(outcomes: Outcome[]): void;
  reject(error: unknown): void;
};

type Waiting = { lane: string; resolve(): void };

/**
 * Groups of a lane are committed in order of arrival; with a concurrency above 1 a later commit may end before an
 * earlier one.
 */
export function createGroupCommit<Item, Outcome>(
  options: GroupCommitOptions<Item, Outcome>,
): GroupCommit<Item, Outcome> {
  const { batchMax, queuedMax, laneMax = queuedMax, concurrency, placesOf, cost, commit, refusal } = options;
  const queue = new FairQueue<Group<Item, Outcome>>();
  const queued = { items: 0, places: 0, cost: 0, byLane: new Map<string, number>() };
  /** In the order of arrival, as sets are. */
  const pending = new Set<Group<Item, Outcome>>();
  const abort = new AbortController();
  let running = 0;
  let stopped = false;
  let whenDrained: Waiting[] = [];
  let whenIdle: (() => void)[] = [];

  const count = (groups: readonly Group<Item, Outcome>[], sign: 1 | -1): void => {
    for (const group of groups) {
      queued.items += sign * group.items.length;
      queued.places += sign * group.places;
      queued.cost += sign * group.cost;
      if (sign === 1) pending.add(group);
      else pending.delete(group);
      const inLane = (queued.byLane.get(group.lane) ?? 0) + sign * group.places;
      if (inLane === 0) queued.byLane.delete(group.lane);
      else queued.byLane.set(group.lane, inLane);
    }
    options.onQueued?.(queued.items);
  };

  const inLane = (lane: string): number => queued.byLane.get(lane) ?? 0;

  const resolveDrained = (all = false): void => {
    const hasRoom = ({ lane }: Waiting) => queued.places < queuedMax / 2 && inLane(lane) < laneMax / 2;
    const { true: ready = [], false: left = [] } = Object.groupBy(whenDrained, waiting =>
      all || hasRoom(waiting) ? 'true' : 'false',
    );
    whenDrained = left;
    for (const { resolve } of ready) resolve();
  };

  const run = async (): Promise<void> => {
    running += 1;
    for (let batch = queue.take(batchMax); batch.length > 0; batch = queue.take(batchMax)) {
      await commitGroups(batch, items => commit(items, abort.signal));
      count(batch, -1);
      resolveDrained();
    }
    running -= 1;
    if (running === 0) whenIdle = callAll(whenIdle);
  };

  const full = (more = 1, lane = ''): boolean =>
    queued.places + more > queuedMax || inLane(lane) + more > laneMax || queued.cost > (cost?.max ?? 0);

  return {
    add: (items, lane = '') =>
      new Promise((resolve, reject) => {
        if (stopped) return reject(refusal());
        const sumOf = (of: (item: Item) => number) => items.reduce((sum, item) => sum + of(item), 0);
        const group = {
          items,
          size: items.length,
          places: placesOf === undefined ? items.length : sumOf(placesOf),
          cost: cost === undefined ? 0 : sumOf(cost.of),
          lane,
          addedAt: performance.now(),
          resolve,
          reject,
        };
        queue.push(lane, group);
        count([group], 1);
        if (running < concurrency) void run();
      }),
    full,
    waitingMs: () => {
      for (const { addedAt } of pending) return performance.now() - addedAt;
      return 0;
    },
    drained: (lane = '') =>
      new Promise(resolve => {
        if (full(1, lane)) whenDrained.push({ lane, resolve });
        else resolve();
      }),
    stop: async withinMs => {
      stopped = true;
      if (running > 0) await settledWithin(withinMs, resolve => whenIdle.push(resolve));
      abort.abort();
      const left = queue.clear();
      for (const { reject } of left) reject(refusal());
      count(left, -1);
      resolveDrained(true);
    },
  };
}

/** Gives each group its part of the outcomes, or all of them the error. */
async function commitGroups<Item, Outcome>(
  groups: readonly Group<Item, Outcome>[],
  commit: (items: readonly Item[]) => Promise<readonly (Outcome | Promise<Outcome>)[]>,
): Promise<void> {
  try {
    const outcomes = await commit(groups.flatMap(group => group.items));
    let start = 0;
    for (const { items, resolve, reject } of groups) {
      const ours = outcomes.slice(start, start + items.length);
      if (ours.some(outcome => outcome instanceof Promise)) Promise.all(ours).then(resolve, reject);
      else resolve(ours as Outcome[]);
      start += items.length;
    }
  } catch (error) {
    for (const { reject } of groups) reject(error);
  }
}

function callAll(callbacks: readonly (() => void)[]): [] {
  for (const callback of callbacks) callback();
  return [];
}

function settledWithin(ms: number, subscribe: (done: () => void) => void): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    subscribe(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
