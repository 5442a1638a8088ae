import type { Logger } from '#shared/log.ts';
import type { ControlMessage } from '#shared/protocol/messages.ts';
import { messageBytesMax, resultsMax } from '#shared/protocol/messages.ts';
import type { SpoolRow } from './spool-file.ts';

type Ack = Extract<ControlMessage, { type: 'ack' }>;

export type OutboxOptions = {
  readAfter: (seq: number, limit: number) => SpoolRow[];
  acknowledge: (seq: number) => void;
  /** Puts text on the socket; false when there is none. */
  send: (text: string) => boolean;
  /** The control plane takes results but never acknowledges them. */
  onSilence: () => void;
  log: Logger;
};

const batchesInFlightMax = 4;
const ackWithinMs = 60_000;
/** Room for what surrounds the results in a message. */
const envelopeBytes = 256;

/** Sends what the spool holds in order, a bounded number of batches ahead of their acknowledgement. */
export class Outbox {
  readonly #options: OutboxOptions;
  #open = false;
  #sentSeq = 0;
  #inFlight: number[] = [];
  #timer: NodeJS.Timeout | undefined;
  #refused = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#inFlight.length === 0 && this.#options.readAfter(this.#sentSeq, 1).length === 0;
  }

  /** A new connection: all that is not acknowledged goes again. */
  open(): void {
    this.#open = true;
    this.#sentSeq = 0;
    this.#inFlight = [];
    this.pump();
  }

  close(): void {
    this.#open = false;
    this.#inFlight = [];
    clearTimeout(this.#timer);
  }

  pump(): void {
    while (this.#open && this.#inFlight.length < batchesInFlightMax) {
      const rows = fitting(this.#options.readAfter(this.#sentSeq, resultsMax));
      const last = rows.at(-1);
      if (last === undefined || !this.#options.send(toMessage(rows))) return;
      this.#sentSeq = last.seq;
      this.#inFlight.push(last.seq);
      this.#watch();
    }
  }

  onAck(ack: Ack): void {
    for (const { seq, reason } of ack.refused) {
      this.#refused++;
      this.#options.log.warn({ seq, reason, refused: this.#refused }, 'the control plane refused a result');
    }
    this.#options.acknowledge(ack.seq);
    this.#inFlight = this.#inFlight.filter(seq => seq > ack.seq);
    this.#watch();
    this.pump();
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#inFlight.length > 0) this.#timer = setTimeout(this.#options.onSilence, ackWithinMs);
  }
}

/** The first of the rows that fit one message. */
function fitting(rows: readonly SpoolRow[]): readonly SpoolRow[] {
  let bytes = envelopeBytes;
  for (const [place, row] of rows.entries()) {
    bytes += Buffer.byteLength(row.text) + 24;
    if (bytes > messageBytesMax) return rows.slice(0, Math.max(1, place));
  }
  return rows;
}

/** The rows are JSON already: they are joined, not parsed and written again. */
function toMessage(rows: readonly SpoolRow[]): string {
  const results = rows.map(row => `{"seq":${row.seq},${row.text.slice(1)}`);
  return `{"type":"results","from_seq":${rows[0]?.seq},"to_seq":${rows.at(-1)?.seq},"results":[${results.join(',')}]}`;
}
