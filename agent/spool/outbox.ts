import type { Logger } from '#shared/log.ts';
import type { ControlMessage } from '#shared/protocol/messages.ts';
import { messageBytesMax, resultsMax } from '#shared/protocol/messages.ts';
import { processTimers, type Timer, type Timers } from '#shared/timers.ts';
import type { SpoolRow } from './spool-file.ts';

type Ack = Extract<ControlMessage, { type: 'ack' }>;

export type OutboxOptions = {
  readAfter: (seq: number, limit: number) => SpoolRow[];
  acknowledge: (seq: number) => void;
  /** Sends text over the socket; false when not connected. */
  send: (text: string) => boolean;
  /** A batch was not acknowledged within 15 s, although connected. */
  onAckTimeout: () => void;
  log: Logger;
  timers?: Timers;
};

const batchesInFlightMax = 4;
/** Shorter than the life of a vote: another replica may be able to commit. */
const ackWithinMs = 15_000;
/** Bytes reserved for the message around the results. */
const envelopeBytes = 256;
/** Bytes reserved per result for `"seq":…,` and the comma. */
const seqBytes = 24;

/**
 * Sends the spool's results in order, at most four batches ahead of their acknowledgement. A batch that is not
 * acknowledged before the connection ends is sent again over the next one, so the control plane sees it at least once.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #timers: Timers;
  #open = false;
  #sentSeq = 0;
  #inFlight: number[] = [];
  #timer: Timer | undefined;
  #refused = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#timers = options.timers ?? processTimers;
  }

  /** True when every stored result was sent and acknowledged. */
  get isEmpty(): boolean {
    return this.#inFlight.length === 0 && this.#options.readAfter(this.#position, 1).length === 0;
  }

  /** Call on a new connection: sends everything that is not acknowledged, from the oldest. */
  open(): void {
    this.#open = true;
    this.#sentSeq = 0;
    this.#inFlight = [];
    this.pump();
  }

  /** Call when the connection ends: sends nothing until the next `open()`. */
  close(): void {
    this.#open = false;
    this.#inFlight = [];
    this.#timer?.cancel();
  }

  /** Sends as many batches as may be in flight. Call when the spool has new rows. */
  pump(): void {
    while (this.#open && this.#inFlight.length < batchesInFlightMax) {
      const rows = firstBatch(this.#options.readAfter(this.#position, resultsMax));
      const last = rows.at(-1);
      if (last === undefined || !this.#options.send(toMessage(rows))) return;
      this.#sentSeq = last.seq;
      this.#inFlight.push(last.seq);
      this.#armAckTimer();
    }
  }

  /** Takes an acknowledgement, which covers refused results as well, and sends the next batches. */
  onAck(ack: Ack): void {
    for (const { seq, reason } of ack.refused) {
      this.#refused++;
      this.#options.log.warn({ seq, reason, refused: this.#refused }, 'the control plane refused a result');
    }
    this.#options.acknowledge(ack.seq);
    this.#inFlight = this.#inFlight.filter(seq => seq > ack.seq);
    this.#armAckTimer();
    this.pump();
  }

  /** After which number to read: with nothing in flight from the oldest, which could perhaps not be read before. */
  get #position(): number {
    return this.#inFlight.length === 0 ? 0 : this.#sentSeq;
  }

  #armAckTimer(): void {
    this.#timer?.cancel();
    if (this.#inFlight.length > 0) this.#timer = this.#timers.after(ackWithinMs, this.#options.onAckTimeout);
  }
}

/** As many of the first rows as fit into one message, at least one. */
function firstBatch(rows: readonly SpoolRow[]): readonly SpoolRow[] {
  let bytes = envelopeBytes;
  for (const [index, row] of rows.entries()) {
    bytes += Buffer.byteLength(row.text) + seqBytes;
    if (bytes > messageBytesMax) return rows.slice(0, Math.max(1, index));
  }
  return rows;
}

/** The rows are JSON already, so they are joined without parsing. */
function toMessage(rows: readonly SpoolRow[]): string {
  const results = rows.map(row => `{"seq":${row.seq},${row.text.slice(1)}`);
  return `{"type":"results","from_seq":${rows[0]?.seq},"to_seq":${rows.at(-1)?.seq},"results":[${results.join(',')}]}`;
}
