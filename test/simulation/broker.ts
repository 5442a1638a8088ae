import type { Reported } from '#control-plane/checks/prepare.ts';
import type { Process } from './process.ts';
import type { Random } from './random.ts';
import { keyOf } from './rows.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A published batch. Its instant of receipt is that of the gateway. */
export type Message = { sequence: number; receivedAt: number; batch: readonly Reported[] };

type Stream = { last: number; kept: Message[] };

const fullCount = 40;
/** How likely a trap is sprung by a request. */
const springs = 0.3;

/**
 * Durable streams, one a shard (JetStream). Publishing is answered once the message is stored, but the answer may be
 * lost. A message is delivered until its acknowledgement arrives, and now and then once more.
 */
export class Broker {
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #streams: Stream[];
  #awayUntil = 0;
  #fullUntil = 0;

  readonly onForgotten: (message: Message) => void;

  constructor(time: VirtualTime, random: Random, shards: number, onForgotten: (message: Message) => void) {
    this.onForgotten = onForgotten;
    this.#time = time;
    this.#random = random;
    this.#streams = Array.from({ length: shards }, () => ({ last: 0, kept: [] }));
  }

  get shards(): number {
    return this.#streams.length;
  }

  goAway(untilMs: number): void {
    this.#awayUntil = Math.max(untilMs, this.#awayUntil);
  }

  fill(untilMs: number): void {
    this.#fullUntil = Math.max(untilMs, this.#fullUntil);
  }

  /** For how long the oldest message has waited for a sink. */
  oldestMs(nowMs: number): number {
    return Math.max(
      0,
      ...this.#streams.map(({ kept: [first] }) => (first === undefined ? 0 : nowMs - first.receivedAt)),
    );
  }

  /** Whether a result is in a stream. */
  keeps(key: string): boolean {
    return this.#streams.some(({ kept }) =>
      kept.some(({ batch }) => batch.some(({ result, region }) => keyOf({ ...result, region }) === key)),
    );
  }

  /** Rejects if it is away, full (`discard: new`), or the answer is lost. */
  publish(client: Process, shard: number, message: Omit<Message, 'sequence'>): Promise<number> {
    return this.#ask(client, () => {
      const stream = this.#stream(shard);
      if (this.#fullUntil > this.#time.now || stream.kept.length >= fullCount) throw new Error('maximum messages');
      stream.last += 1;
      stream.kept.push({ ...message, sequence: stream.last });
      return stream.last;
    });
  }

  /** The oldest message that is not acknowledged. */
  pull(client: Process, shard: number): Promise<Message | null> {
    return this.#ask(client, () => this.#stream(shard).kept[0] ?? null);
  }

  /** The one after: what a consumer gets that asks for more than one at a time. */
  pullNext(client: Process, shard: number): Promise<Message | null> {
    return this.#ask(client, () => this.#stream(shard).kept[1] ?? this.#stream(shard).kept[0] ?? null);
  }

  /** May be lost: then the message comes again. */
  acknowledge(client: Process, shard: number, sequence: number): Promise<void> {
    return this.#ask(client, () => {
      const stream = this.#stream(shard);
      if (this.#random.chance(0.1)) return;
      for (const message of stream.kept) if (message.sequence === sequence) this.onForgotten(message);
      stream.kept = stream.kept.filter(message => message.sequence !== sequence);
    });
  }

  #stream(shard: number): Stream {
    const stream = this.#streams[shard];
    if (stream === undefined) throw new RangeError(`no shard ${shard}`);
    return stream;
  }

  #ask<Answer>(client: Process, work: () => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#random.chance(springs)) client.spring();
      this.#time.after(this.#random.between(1, 5), () => {
        const lost = this.#random.chance(0.02);
        try {
          if (this.#awayUntil > this.#time.now) throw new Error('no responders');
          const answer = work();
          const tell = () => (lost ? reject(new Error('timeout')) : resolve(answer));
          this.#time.after(lost ? 2000 : this.#random.between(1, 5), () => client.reach(tell));
        } catch (error) {
          this.#time.after(this.#random.between(1, 5), () => client.reach(() => reject(error)));
        }
      });
    });
  }
}
