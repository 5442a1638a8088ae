import { createGroupCommit, type GroupCommit, type GroupCommitOptions } from './group-commit.ts';

type Options<Item, Outcome> = Omit<GroupCommitOptions<Item, Outcome>, 'concurrency' | 'cost' | 'commit'> & {
  /** How many commits run side by side. */
  parts: number;
  commit(
    ...args: [...Parameters<GroupCommitOptions<Item, Outcome>['commit']>, part: number]
  ): Promise<readonly (Outcome | Promise<Outcome>)[]>;
  /** What decides the part of an item. */
  keyOf(item: Item): string;
};

/**
 * Group commits side by side, each of the items of its own keys: those that lock rows by key never wait for each
 * other. A caller's items may be divided among several commits; it resolves after the last of them. If one fails, so
 * does the call, though others may have committed. The bounds are divided equally.
 */
export function createSplitCommit<Item, Outcome>(options: Options<Item, Outcome>): GroupCommit<Item, Outcome> {
  const { parts: count, keyOf, commit, onQueued, ...shared } = options;
  const queued = new Array<number>(count).fill(0);
  const parts = queued.map((_, part) =>
    createGroupCommit<Item, Outcome>({
      ...shared,
      queuedMax: shared.queuedMax / count,
      laneMax: (shared.laneMax ?? shared.queuedMax) / count,
      concurrency: 1,
      commit: (items, signal) => commit(items, signal, part),
      onQueued: items => {
        queued[part] = items;
        onQueued?.(queued.reduce((sum, value) => sum + value, 0));
      },
    }),
  );
  return {
    add: async (items, lane) => {
      const places = Map.groupBy(items.keys(), index => partOf(keyOf(items[index] as Item), count));
      const outcomes = new Array<Outcome>(items.length);
      const add = async (part: number, indexes: readonly number[]) => {
        const own = await parts[part]?.add(
          indexes.map(index => items[index] as Item),
          lane,
        );
        for (const [place, index] of indexes.entries()) outcomes[index] = own?.[place] as Outcome;
      };
      await Promise.all(places.entries().map(([part, indexes]) => add(part, indexes)));
      return outcomes;
    },
    full: (more = 1, lane) => parts.some(part => part.full(more, lane)),
    drained: async lane => {
      await Promise.all(parts.map(part => part.drained(lane)));
    },
    waitingMs: () => Math.max(...parts.map(part => part.waitingMs())),
    stop: async withinMs => {
      await Promise.all(parts.map(part => part.stop(withinMs)));
    },
  };
}

/** Pure: about as many keys in each part, also of those that differ in their last characters only. */
export function partOf(key: string, parts: number): number {
  let hash = 0;
  for (let index = 0; index < key.length; index++) hash = (Math.imul(hash, 31) + key.charCodeAt(index)) | 0;
  return (hash >>> 0) % parts;
}
