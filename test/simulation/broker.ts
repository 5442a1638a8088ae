import {
  type Broker as ProductBroker,
  StreamFull,
  type StreamMessage,
} from '#control-plane/operations/intake/nats/broker.ts';
import { decodeResults } from '#control-plane/operations/intake/nats/message.ts';
import { firstShardOf, type IntakeStream } from '#control-plane/operations/intake/nats/streams.ts';
import type { WireResult } from '#shared/check-result.ts';
import type { Mutation } from './mutation.ts';
import type { Process } from './process.ts';
import type { Random } from './random.ts';
import { StreamReader } from './reader.ts';
import { keyOf } from './rows.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A result in a message, with its key in the database. */
export type QueuedResult = { agentId: string; seq: number; key: string };
export type Message = StreamMessage & { results: readonly QueuedResult[] };

/** `silentAt`: when its last reader fell silent. */
type Stream = { name: string; last: number; kept: Message[]; readers: Set<StreamReader>; silentAt: number };

/** A reader falls silent, is noticed within ten seconds, and another one starts: not again while that lasts. */
const silentAgainMs = 30_000;

/** What a process sees of it, as the product's client shows it. */
export type BrokerClient = Pick<ProductBroker, 'publish' | 'standingOf' | 'read' | 'forget'>;

const fullCount = 100;
/** How likely a trap is sprung by a request. */
const springs = 0.3;
const createdAt = '2026-01-01T00:00:00Z';

type Watch = {
  onQueued(process: Process, results: readonly QueuedResult[]): void;
  onForgotten(message: Message): void;
};

/**
 * Durable streams (JetStream). Publishing is answered once the message is stored, but the answer may be lost; a
 * repetition is another message. Readers get messages in order, some of them twice, and may be lost, with an error or
 * without.
 */
export class Broker {
  readonly streams: readonly IntakeStream[];
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #watch: Watch;
  readonly #mutation: Mutation | null;
  readonly #streams: readonly Stream[];
  #awayUntil = 0;
  #fullUntil = 0;
  #isCalm = false;

  constructor(time: VirtualTime, random: Random, count: number, watch: Watch, mutation: Mutation | null) {
    this.#time = time;
    this.#random = random;
    this.#watch = watch;
    this.#mutation = mutation;
    this.streams = Array.from({ length: count }, (_, index) => ({
      name: `uq-results-${index}`,
      kind: 'results',
      subjects: [],
    }));
    this.#streams = this.streams.map(({ name }) => ({
      name,
      last: 0,
      kept: [],
      readers: new Set(),
      silentAt: 0,
    }));
  }

  goAway(untilMs: number): void {
    this.#awayUntil = Math.max(untilMs, this.#awayUntil);
  }

  fill(untilMs: number): void {
    this.#fullUntil = Math.max(untilMs, this.#fullUntil);
  }

  /** No reader falls silent from now on. */
  calm(): void {
    this.#isCalm = true;
  }

  /** For how long the oldest message after a stream's position has waited. */
  oldestMs(positionOf: (stream: string) => number, nowMs: number): number {
    const oldest = this.#streams.map(({ name, kept }) => kept.find(({ seq }) => seq > positionOf(name)));
    return Math.max(0, ...oldest.map(message => (message === undefined ? 0 : nowMs - message.at)));
  }

  /** Whether a result is in a stream. */
  keeps(key: string): boolean {
    return this.#streams.some(({ kept }) => kept.some(({ results }) => results.some(result => result.key === key)));
  }

  clientOf(process: Process): BrokerClient {
    return {
      publish: (_, shard, body) => this.#ask(process, () => this.#store(process, shard, body)),
      standingOf: name =>
        this.#ask(process, () => {
          const { kept, last, readers } = this.#stream(name);
          const isHidden = this.#mutation === 'a silent reader is not noticed';
          const silent = isHidden ? [...readers].find(({ isForgotten }) => isForgotten) : undefined;
          const lastSeq = silent?.sentSeq ?? last;
          return { createdAt, firstSeq: kept[0]?.seq ?? last + 1, lastSeq };
        }),
      read: (name, afterSeq) => this.#ask(process, () => this.#open(process, this.#stream(name), afterSeq)),
      forget: (name, untilSeq) =>
        this.#ask(process, () => {
          const stream = this.#stream(name);
          for (const message of stream.kept) if (message.seq <= untilSeq) this.#watch.onForgotten(message);
          stream.kept = stream.kept.filter(({ seq }) => seq > untilSeq);
        }),
    };
  }

  #store(process: Process, shard: number, data: Uint8Array): void {
    const stream = this.#streams[(shard / firstShardOf(1)) % this.#streams.length];
    if (stream === undefined) throw new RangeError(`no stream for shard ${shard}`);
    if (this.#fullUntil > this.#time.now || stream.kept.length >= fullCount) throw new StreamFull('maximum messages');
    const results = decodeResults(data).flatMap(({ agentId, region, results: part }) =>
      (part as WireResult[]).map(result => ({ agentId, seq: result.seq, key: keyOf({ ...result, region }) })),
    );
    this.#watch.onQueued(process, results);
    stream.last += 1;
    stream.kept.push({ seq: stream.last, at: Math.round(this.#time.now), data, results });
    for (const reader of stream.readers) this.#wake(stream, reader);
  }

  #open(process: Process, stream: Stream, afterSeq: number): StreamReader {
    const reader = new StreamReader(process, afterSeq, () => stream.readers.delete(reader));
    stream.readers.add(reader);
    this.#wake(stream, reader);
    return reader;
  }

  #wake(stream: Stream, reader: StreamReader): void {
    if (reader.isFed || reader.isForgotten) return;
    reader.isFed = true;
    this.#time.after(this.#random.between(1, 5), () => this.#feed(stream, reader));
  }

  /** Some messages at a time, for as long as there are more. */
  #feed(stream: Stream, reader: StreamReader): void {
    reader.isFed = false;
    if (!stream.readers.has(reader) || !reader.process.alive) return;
    if (this.#awayUntil > this.#time.now) {
      reader.isFed = true;
      return void this.#time.after(this.#awayUntil - this.#time.now + 1, () => this.#feed(stream, reader));
    }
    if (this.#random.chance(0.003)) return reader.process.reach(() => reader.fail(new Error('the consumer is lost')));
    if (this.#random.chance(0.003) && !this.#isCalm && stream.silentAt + silentAgainMs < this.#time.now) {
      reader.isForgotten = true;
      stream.silentAt = this.#time.now;
      return;
    }
    const due = stream.kept.filter(({ seq }) => seq > reader.sentSeq).slice(0, this.#random.between(1, 8));
    const last = due.at(-1);
    if (last === undefined) return;
    reader.sentSeq = last.seq;
    const sent = this.#random.chance(0.05) ? [...due.slice(0, 1), ...due] : due;
    const skips = this.#mutation === 'sink skips a message';
    reader.process.reach(() => reader.push(skips ? sent.filter(({ seq }) => seq % 5 !== 4) : sent));
    this.#wake(stream, reader);
  }

  #stream(name: string): Stream {
    const stream = this.#streams.find(stream => stream.name === name);
    if (stream === undefined) throw new RangeError(`no stream ${name}`);
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
