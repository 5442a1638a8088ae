import { RoundRobinQueue } from '#shared/fairness/round-robin-queue.ts';

/**
 * Commits the items of many callers together: what arrives while a transaction runs is in the next one. Opens nothing
 * and needs no disposal while nothing is queued; `stop` ends it.
 */
export type GroupCommit<Item, Outcome> = {
  /**
   * Queues the items and resolves after their commit, with one outcome per item in the same order. Rejects with the
   * error of their commit, or with `refusal()` once stopped. It does not check `full`: the caller does, before it adds.
   * Keys are served in turn.
   */
  add(items: readonly Item[], key?: string): Promise<Outcome[]>;
  /** True if items of `weight` more would exceed a bound of the queue or the key. */
  full(weight?: number, key?: string): boolean;
  /** Resolves at once if queue and key are not full, otherwise when less than half of their bounds is left. */
  drained(key?: string): Promise<void>;
  /** How long the oldest item that is not committed has waited, in milliseconds; 0 if there is none. */
  waitingMs(): number;
  /** Commits what is queued within the given time, then aborts the running commits and rejects the rest. */
  stop(withinMs: number): Promise<void>;
};

export type CommitQueueOptions<Item, Outcome> = {
  /** Items per commit; one caller's larger list is committed by itself. */
  batchMax: number;
  /** Weight of the items queued or being committed. */
  queuedMax: number;
  /** The same of one key; `queuedMax` if not given. */
  queuedPerKeyMax?: number;
  /** The weight of an item; one if not given. */
  weightOf?(item: Item): number;
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
  weight: number;
  key: string;
  addedAt: number;
  cost: number;
  resolve(outcomes: Outcome[]): void;
  reject(error: unknown): void;
};

type Waiting = { key: string; resolve(): void };

/**
 * Groups of a key are committed in order of arrival; with a concurrency above 1 a later commit may end before an
 * earlier one.
 */
export function createCommitQueue<Item, Outcome>(
  options: CommitQueueOptions<Item, Outcome>,
): GroupCommit<Item, Outcome> {
  const { batchMax, queuedMax, queuedPerKeyMax = queuedMax, concurrency, weightOf, cost, commit, refusal } = options;
  const queue = new RoundRobinQueue<Group<Item, Outcome>>();
  const queued = { items: 0, weight: 0, cost: 0, ofKey: new Map<string, number>() };
  /** In the order of arrival, as sets are. */
  const pending = new Set<Group<Item, Outcome>>();
  const abort = new AbortController();
  let running = 0;
  let stopped = false;
  let whenDrained: Waiting[] = [];
  let whenIdle: (() => void)[] = [];

  const weightOfKey = (key: string): number => queued.ofKey.get(key) ?? 0;

  const count = (groups: readonly Group<Item, Outcome>[], sign: 1 | -1): void => {
    for (const group of groups) {
      queued.items += sign * group.items.length;
      queued.weight += sign * group.weight;
      queued.cost += sign * group.cost;
      if (sign === 1) pending.add(group);
      else pending.delete(group);
      const ofKey = weightOfKey(group.key) + sign * group.weight;
      if (ofKey === 0) queued.ofKey.delete(group.key);
      else queued.ofKey.set(group.key, ofKey);
    }
    options.onQueued?.(queued.items);
  };

  const resolveDrained = (all = false): void => {
    const isDrained = ({ key }: Waiting) => queued.weight < queuedMax / 2 && weightOfKey(key) < queuedPerKeyMax / 2;
    const { true: ready = [], false: left = [] } = Object.groupBy(whenDrained, waiting =>
      all || isDrained(waiting) ? 'true' : 'false',
    );
    whenDrained = left;
    for (const { resolve } of ready) resolve();
  };

  const run = async (): Promise<void> => {
    running += 1;
    const takeBatch = () => queue.takeBatch(batchMax, group => group.items.length);
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      await commitGroups(batch, items => commit(items, abort.signal));
      count(batch, -1);
      resolveDrained();
    }
    running -= 1;
    if (running === 0) whenIdle = callAll(whenIdle);
  };

  const full = (more = 1, key = ''): boolean =>
    queued.weight + more > queuedMax || weightOfKey(key) + more > queuedPerKeyMax || queued.cost > (cost?.max ?? 0);

  return {
    add: (items, key = '') =>
      new Promise((resolve, reject) => {
        if (stopped) return reject(refusal());
        const sumOf = (of: (item: Item) => number) => items.reduce((sum, item) => sum + of(item), 0);
        const group = {
          items,
          weight: weightOf === undefined ? items.length : sumOf(weightOf),
          cost: cost === undefined ? 0 : sumOf(cost.of),
          key,
          addedAt: performance.now(),
          resolve,
          reject,
        };
        queue.add(key, group);
        count([group], 1);
        if (running < concurrency) void run();
      }),
    full,
    waitingMs: () => {
      for (const { addedAt } of pending) return performance.now() - addedAt;
      return 0;
    },
    drained: (key = '') =>
      new Promise(resolve => {
        if (full(1, key)) whenDrained.push({ key, resolve });
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
