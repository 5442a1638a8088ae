import { type CommitQueueOptions, createCommitQueue, type GroupCommit } from './commit-queue.ts';

/**
 * What keeps partitions apart. By item: a caller's items may be divided among several commits, and it resolves after
 * the last of them; if one fails, so does the call, though others may have committed. By key: they stay together.
 */
type Partitions<Item> = { count: number } & ({ ofItem(item: Item): number } | { ofKey(key: string): number });

type Commit<Item, Outcome> = CommitQueueOptions<Item, Outcome>['commit'];

export type GroupCommitOptions<Item, Outcome> = Omit<CommitQueueOptions<Item, Outcome>, 'commit'> & {
  /** Each has these bounds and this concurrency. One if not given. */
  partitions?: Partitions<Item>;
  /** Returns one outcome per item, in order, after the commit; see `CommitQueueOptions`. */
  commit(...args: [...Parameters<Commit<Item, Outcome>>, partition: number]): ReturnType<Commit<Item, Outcome>>;
};

/**
 * Group commits side by side, each of its own items: those that lock the same rows never wait for each other. Opens
 * nothing and needs no disposal while nothing is queued; `stop` ends it.
 */
export function createGroupCommit<Item, Outcome>(
  options: GroupCommitOptions<Item, Outcome>,
): GroupCommit<Item, Outcome> {
  const { partitions = { count: 1, ofKey: () => 0 }, commit, onQueued, ...shared } = options;
  const queued = new Array<number>(partitions.count).fill(0);
  let queuedInAll = 0;
  const queues = queued.map((_, partition) =>
    createCommitQueue<Item, Outcome>({
      ...shared,
      commit: (items, signal) => commit(items, signal, partition),
      onQueued: count => {
        queuedInAll += count - (queued[partition] ?? 0);
        queued[partition] = count;
        onQueued?.(queuedInAll);
      },
    }),
  );
  /** Those that items of the key may be in. */
  const queuesOf = (key: string) => {
    if ('ofItem' in partitions) return queues;
    const partition = partitions.ofKey(key);
    return queues.slice(partition, partition + 1);
  };
  return {
    add: async (items, key = '') => {
      const add = async (partition: number, own: readonly Item[]) => (await queues[partition]?.add(own, key)) ?? [];
      return 'ofKey' in partitions ? add(partitions.ofKey(key), items) : divide(items, partitions.ofItem, add);
    },
    full: (more = 1, key = '') => queuesOf(key).some(queue => queue.full(more, key)),
    drained: async (key = '') => {
      await Promise.all(queuesOf(key).map(queue => queue.drained(key)));
    },
    waitingMs: () => Math.max(...queues.map(queue => queue.waitingMs())),
    stop: async withinMs => {
      await Promise.all(queues.map(queue => queue.stop(withinMs)));
    },
  };
}

/** Pure: about as many keys in each partition, also of those that differ in their last characters only. */
export function partitionOf(key: string, count: number): number {
  let hash = 0;
  for (let index = 0; index < key.length; index++) hash = (Math.imul(hash, 31) + key.charCodeAt(index)) | 0;
  return (hash >>> 0) % count;
}

/** Adds each partition's items to it, and puts their outcomes in the order of the items. */
async function divide<Item, Outcome>(
  items: readonly Item[],
  ofItem: (item: Item) => number,
  add: (partition: number, own: readonly Item[]) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  const outcomes = new Array<Outcome>(items.length);
  const addOwn = async (partition: number, own: readonly (readonly [index: number, item: Item])[]) => {
    const added = await add(
      partition,
      own.map(([, item]) => item),
    );
    for (const [order, [index]] of own.entries()) outcomes[index] = added[order] as Outcome;
  };
  const parts = Map.groupBy(items.entries(), ([, item]) => ofItem(item));
  await Promise.all(parts.entries().map(([partition, own]) => addOwn(partition, own)));
  return outcomes;
}
