import type { StreamMessage } from '#control-plane/operations/intake/nats/broker.ts';
import type { Process } from './process.ts';

type Next = IteratorResult<StreamMessage, undefined>;

/** A process's consumer of a stream: what the broker sent waits here until it is taken. */
export class StreamReader implements AsyncIterable<StreamMessage> {
  readonly process: Process;
  /** Up to where the broker has sent. */
  sentSeq: number;
  /** Whether the broker is about to send more. */
  isFed = false;
  /** Whether the broker has forgotten that more is wanted: nothing comes any more, and no error. */
  isForgotten = false;
  readonly #ended: () => void;
  readonly #ready: StreamMessage[] = [];
  #waiting: { resolve(next: Next): void; reject(error: Error): void } | null = null;
  #end: Error | 'closed' | null = null;

  constructor(process: Process, afterSeq: number, ended: () => void) {
    this.process = process;
    this.sentSeq = afterSeq;
    this.#ended = ended;
  }

  push(messages: readonly StreamMessage[]): void {
    this.#ready.push(...messages);
    this.#answer();
  }

  fail(error: Error): void {
    this.#finish(error);
  }

  async close(): Promise<void> {
    this.#finish('closed');
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamMessage, undefined> {
    return {
      next: () =>
        new Promise((resolve, reject) => {
          this.#waiting = { resolve, reject };
          this.#answer();
        }),
    };
  }

  #finish(end: Error | 'closed'): void {
    this.#end ??= end;
    this.#ended();
    this.#answer();
  }

  #answer(): void {
    const waiting = this.#waiting;
    if (waiting === null) return;
    const message = this.#end === 'closed' ? undefined : this.#ready.shift();
    if (message === undefined && this.#end === null) return;
    this.#waiting = null;
    if (message !== undefined) waiting.resolve({ done: false, value: message });
    else if (this.#end instanceof Error) waiting.reject(this.#end);
    else waiting.resolve({ done: true, value: undefined });
  }
}
