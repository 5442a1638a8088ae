import { createGroupCommit, type GroupCommit } from '../../../platform/resilience/group-commit.ts';
import { shardCount, shardOf } from './streams.ts';

type Options<Item, Outcome> = {
  batchMax: number;
  /** Items of all shards. */
  queuedMax: number;
  /** Items of one key. */
  laneMax: number;
  cost?: { of(item: Item): number; max: number };
  refusal(): Error;
  commit(shard: number, items: readonly Item[], signal: AbortSignal): Promise<readonly Outcome[]>;
  onQueued?(count: number): void;
};

/**
 * A group commit for each shard, with one message under way: the busier the broker, the larger the messages, and never
 * more than 256 of them. Items of a key keep their order.
 */
export class ShardQueues<Item, Outcome> {
  readonly #options: Options<Item, Outcome>;
  readonly #queues = new Map<number, GroupCommit<Item, Outcome>>();
  readonly #queued = new Array<number>(shardCount).fill(0);
  #stopped = false;

  constructor(options: Options<Item, Outcome>) {
    this.#options = options;
  }

  add(key: string, items: readonly Item[]): Promise<Outcome[]> {
    if (this.#stopped) return Promise.reject(this.#options.refusal());
    return this.#of(key).add(items, key);
  }

  /** True if `count` more items of the key would exceed a bound. */
  full(key: string, count = 1): boolean {
    return this.#total() + count > this.#options.queuedMax || this.#of(key).full(count, key);
  }

  /** Resolves when the key's shard has room. */
  drained(key: string): Promise<void> {
    return this.#of(key).drained(key);
  }

  /** How long the oldest item has waited, in milliseconds. */
  waitingMs(): number {
    return Math.max(0, ...this.#queues.values().map(queue => queue.waitingMs()));
  }

  async stop(withinMs: number): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#queues.values().map(queue => queue.stop(withinMs)));
  }

  #total(): number {
    return this.#queued.reduce((sum, count) => sum + count, 0);
  }

  #of(key: string): GroupCommit<Item, Outcome> {
    const shard = shardOf(key);
    const found = this.#queues.get(shard);
    if (found !== undefined) return found;
    const { batchMax, queuedMax, laneMax, cost, refusal, commit, onQueued } = this.#options;
    const queue = createGroupCommit<Item, Outcome>({
      batchMax,
      queuedMax,
      laneMax,
      concurrency: 1,
      ...(cost === undefined ? {} : { cost }),
      refusal,
      commit: (items, signal) => commit(shard, items, signal),
      onQueued: count => {
        this.#queued[shard] = count;
        onQueued?.(this.#total());
      },
    });
    this.#queues.set(shard, queue);
    return queue;
  }
}
