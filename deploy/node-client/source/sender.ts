import type { Socket } from 'node:net';
import { post } from './post.ts';
import { createQueue, type Queue, type QueueLimits } from './queue.ts';
import { judge, type Verdict } from './verdict.ts';

/** Why events were given up, in a word and in a sentence. */
export type DropReason = { code: 'queue_full' | 'too_large' | 'not_json' | 'refused' | 'closed'; detail: string };

export type SenderOptions = {
  url: URL;
  token: string;
  flushMs: number;
  limits: QueueLimits;
  onDrop(texts: readonly string[], reason: DropReason): void;
  onError(error: Error): void;
};

type Flusher = { until: number; resolve(isSent: boolean): void };
type Sending = { abort: AbortController; socket: Socket | null };

const requestMs = 30_000;
const backoffMinMs = 1000;
const backoffMaxMs = 60_000;
const retryAfterMaxMs = 3_600_000;

/** Sends events in their order, one request at a time, until the server has stored or refused each. */
export class Sender {
  dropped = 0;
  private readonly options: SenderOptions;
  private readonly queue: Queue;
  /** The first of these is being sent, or has to be sent again. */
  private batches: string[][] = [];
  private sending: Sending | null = null;
  private timer: NodeJS.Timeout | null = null;
  private failures = 0;
  private tracked = 0;
  private settled = 0;
  private flushers: Flusher[] = [];
  /** Who waits: without them, nothing here keeps the process from ending. */
  private holders = 0;
  private closed: Promise<void> | null = null;

  constructor(options: SenderOptions) {
    this.options = options;
    this.queue = createQueue(options.limits);
  }

  get size(): number {
    return this.queue.size() + this.underWay;
  }

  private get underWay(): number {
    return this.batches.reduce((sum, batch) => sum + batch.length, 0);
  }

  add(text: string): void {
    if (this.closed !== null) return this.drop([text], 'closed', 'the client is closed');
    this.tracked += 1;
    const { limits, flushMs } = this.options;
    const given = this.queue.add(text, this.underWay);
    this.settle(given.length);
    if (given[0] === text) return this.drop(given, 'too_large', `an event has at most ${limits.batchBytes} bytes`);
    this.drop(given, 'queue_full', 'too many events wait');
    if (this.sending !== null || this.failures > 0) return;
    if (this.queue.size() >= limits.batchMax) this.wake(0);
    else if (this.timer === null) this.wake(flushMs);
  }

  /** True once all that was added before is settled, false as soon as a request fails. */
  async flush(): Promise<boolean> {
    if (this.size === 0) return true;
    this.hold(1);
    try {
      return await this.settledOrFailed(0);
    } finally {
      this.hold(-1);
    }
  }

  close(timeoutMs: number): Promise<void> {
    this.closed ??= this.finish(timeoutMs);
    return this.closed;
  }

  drop(texts: readonly string[], code: DropReason['code'], detail: string): void {
    if (texts.length === 0) return;
    this.dropped += texts.length;
    this.options.onDrop(texts, { code, detail });
  }

  private async finish(timeoutMs: number): Promise<void> {
    this.hold(1);
    const abort = new AbortController();
    const deadline = setTimeout(() => abort.abort(), timeoutMs);
    const late = new Promise<void>(resolve => abort.signal.addEventListener('abort', () => resolve()));
    const sent = async () => {
      // What fails is sent again until the time is up.
      for (let waitMs: number | null = 0; this.size > 0 && !abort.signal.aborted; waitMs = null)
        await this.settledOrFailed(waitMs);
    };
    await Promise.race([sent(), late]);
    clearTimeout(deadline);
    this.giveUp();
    this.hold(-1);
  }

  private giveUp(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    const left = this.batches.flat();
    this.batches = [];
    for (let next = this.queue.take(); next.length > 0; next = this.queue.take()) left.push(...next);
    this.sending?.abort.abort();
    this.drop(left, 'closed', 'the client was closed before the server had them');
    this.settle(left.length);
  }

  /** Sends after that long; null: when the timer says so. */
  private settledOrFailed(waitMs: number | null): Promise<boolean> {
    return new Promise<boolean>(resolve => {
      this.flushers.push({ until: this.tracked, resolve });
      if (waitMs !== null && this.sending === null) this.wake(waitMs);
    });
  }

  private settle(count: number): void {
    this.settled += count;
    const done = this.flushers.filter(({ until }) => this.settled >= until);
    this.flushers = this.flushers.filter(({ until }) => this.settled < until);
    for (const { resolve } of done) resolve(true);
  }

  private hold(change: 1 | -1): void {
    this.holders += change;
    for (const one of [this.timer, this.sending?.socket]) {
      if (this.holders > 0) one?.ref();
      else one?.unref();
    }
  }

  private wake(ms: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = null;
      void this.run();
    }, ms);
    if (this.holders === 0) this.timer.unref();
  }

  /** Sends until little is left, or a request fails. */
  private async run(): Promise<void> {
    if (this.sending !== null) return;
    do {
      const [batch = this.queue.take(), ...others] = this.batches;
      if (batch.length === 0) return;
      this.batches = [batch, ...others];
      const verdict = await this.send(batch);
      // Given up meanwhile.
      if (this.batches[0] !== batch) return;
      if (verdict.action === 'again') return this.tryAgain(verdict);
      this.failures = 0;
      this.carryOut(verdict, batch, others);
    } while (this.isPressed());
    if (this.queue.size() > 0) this.wake(this.options.flushMs);
  }

  private isPressed(): boolean {
    const isFull = this.queue.size() >= this.options.limits.batchMax;
    return this.batches.length > 0 || isFull || this.flushers.length > 0;
  }

  private tryAgain({ detail, retryAfterMs }: Verdict & { action: 'again' }): void {
    this.failures += 1;
    const backoffMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** (this.failures - 1)) * (0.5 + Math.random() / 2);
    this.wake(Math.max(backoffMs, Math.min(retryAfterMs, retryAfterMaxMs)));
    for (const { resolve } of this.flushers.splice(0)) resolve(false);
    this.options.onError(new Error(detail));
  }

  private carryOut(verdict: Exclude<Verdict, { action: 'again' }>, batch: string[], others: string[][]): void {
    if (verdict.action === 'split') {
      const half = Math.ceil(batch.length / 2);
      this.batches = [batch.slice(0, half), batch.slice(half), ...others];
      return;
    }
    this.batches = others;
    for (const [detail, indices] of verdict.refused) {
      const texts = indices.flatMap(index => batch[index] ?? []);
      this.drop(texts, 'refused', detail);
    }
    this.settle(batch.length);
  }

  private async send(batch: readonly string[]): Promise<Verdict> {
    const sending: Sending = { abort: new AbortController(), socket: null };
    this.sending = sending;
    const onSocket = (socket: Socket) => {
      sending.socket = socket;
      if (this.holders === 0) socket.unref();
    };
    const signal = AbortSignal.any([sending.abort.signal, AbortSignal.timeout(requestMs)]);
    const url = new URL(this.options.url);
    // By its clock the server corrects times that are far off.
    url.searchParams.set('sent_at', String(Date.now()));
    try {
      return judge(await post(url, this.options.token, `[${batch.join()}]`, { signal, onSocket }), batch.length);
    } catch (error) {
      return { action: 'again', detail: error instanceof Error ? error.message : String(error), retryAfterMs: 0 };
    } finally {
      this.sending = null;
    }
  }
}
