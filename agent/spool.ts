import type { Logger } from '#shared/log.ts';
import type { UnspooledResult } from './check.ts';
import { isDamage, isHeldByAnother, openSpoolFile, type SpoolFile, type SpoolRow } from './spool-file.ts';

export type SpoolOptions = {
  directory: string;
  bytesMax: number;
  ageMaxMs: number;
  now: () => number;
  log: Logger;
  /** There may be rows to read. */
  onRows: () => void;
  open?: typeof openSpoolFile;
};

/** `dropped` counts since the start of the program. */
export type SpoolCounts = { count: number; bytes: number; dropped: number };

const successWaitMs = 250;
/** Failures are written at once, but no two syncs follow each other closer than this. */
const syncGapMs = 20;
const deleteWaitMs = 1000;
const retryMs = 1000;
const ageCheckMs = 60_000;
const memoryRowsMax = 5000;

/**
 * The results that are not acknowledged yet, crash-safe on disk. While the disk fails they wait in bounded memory
 * and the agent goes on; what has to be dropped, the oldest first, is counted.
 */
export class Spool {
  readonly #options: SpoolOptions;
  #file: SpoolFile | null = null;
  #inFile = { count: 0, bytes: 0 };
  #pending: SpoolRow[] = [];
  #pendingBytes = 0;
  #dropped = 0;
  #nextSeq = 1;
  #ackedSeq = 0;
  #deletedSeq = 0;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #flushedMs = Number.NEGATIVE_INFINITY;
  #agedMs = Number.NEGATIVE_INFINITY;
  #failing = false;
  #closed = false;

  /** Throws when another agent uses the directory; any other fault of the disk is lived with. */
  constructor(options: SpoolOptions) {
    this.#options = options;
    try {
      this.#open();
    } catch (error) {
      if (isHeldByAnother(error))
        throw new Error(`another agent uses the spool in ${options.directory}`, { cause: error });
      this.#failed(error);
    }
  }

  get counts(): SpoolCounts {
    return {
      count: this.#inFile.count + this.#pending.length,
      bytes: this.#inFile.bytes + this.#pendingBytes,
      dropped: this.#dropped,
    };
  }

  /** Takes a result over; on disk at once when it failed, else within 250 ms. */
  append(result: UnspooledResult): void {
    const row = { seq: this.#nextSeq++, createdMs: this.#options.now(), text: JSON.stringify(result) };
    this.#pending.push(row);
    this.#pendingBytes += row.text.length;
    if (this.#pending.length > memoryRowsMax) this.#dropOldestPending();
    const gapMs = this.#flushedMs + syncGapMs - performance.now();
    this.#flushIn(this.#failing ? retryMs : result.status === 'err' ? Math.max(0, gapMs) : successWaitMs);
  }

  /** Rows after a number in order, at most `limit`; those not on disk yet only while the disk fails. */
  readAfter(seq: number, limit: number): SpoolRow[] {
    const rows = this.#readFile(Math.max(seq, this.#ackedSeq), limit);
    if (!this.#failing || rows.length === limit) return rows;
    const last = rows.at(-1)?.seq ?? seq;
    return [...rows, ...this.#pending.filter(row => row.seq > last).slice(0, limit - rows.length)];
  }

  /** Everything up to `seq` has arrived and may go. */
  acknowledge(seq: number): void {
    if (seq <= this.#ackedSeq) return;
    this.#ackedSeq = Math.min(seq, this.#nextSeq - 1);
    if (this.#failing) this.#setPending(this.#pending.filter(row => row.seq > this.#ackedSeq));
    this.#flushIn(deleteWaitMs);
  }

  /** Writes what waits, now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#flushedMs = performance.now();
    try {
      if (this.#file === null) this.#open();
      this.#write();
      this.#recovered();
    } catch (error) {
      this.#failed(error);
    }
    this.#options.onRows();
  }

  close(): void {
    this.flush();
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#file?.close();
    this.#file = null;
  }

  #open(): void {
    const { file, movedTo } = (this.#options.open ?? openSpoolFile)(this.#options.directory);
    if (movedTo !== null)
      this.#options.log.error({ movedTo }, 'the spool was damaged: it is moved aside for a new one');
    this.#file = file;
    this.#inFile = { count: file.count(), bytes: file.bytes() };
    const lastSeq = file.lastSeq();
    if (this.#nextSeq <= lastSeq) this.#nextSeq = lastSeq + 1 + this.#pending.length;
    // Results of a time without a file were numbered without knowing what it holds.
    const firstSeq = this.#nextSeq - this.#pending.length;
    if (this.#pending.some(row => row.seq <= lastSeq))
      this.#pending = this.#pending.map((row, place) => ({ ...row, seq: firstSeq + place }));
  }

  #write(): void {
    const file = this.#file;
    if (file === null) return;
    const cut = this.#cut(file);
    const deleteUpTo = Math.max(cut, this.#ackedSeq);
    if (this.#pending.length === 0 && deleteUpTo <= this.#deletedSeq) return;
    const deleted = file.write(deleteUpTo > this.#deletedSeq ? deleteUpTo : 0, this.#pending);
    for (const row of deleted) {
      this.#inFile.count--;
      this.#inFile.bytes -= row.bytes;
      if (row.seq > this.#ackedSeq) this.#dropped++;
    }
    this.#deletedSeq = Math.max(this.#deletedSeq, deleteUpTo);
    this.#inFile.count += this.#pending.length;
    this.#inFile.bytes += this.#pendingBytes;
    this.#setPending([]);
  }

  /** The oldest must go when there is too much of it or it is too old. */
  #cut(file: SpoolFile): number {
    const excess = this.counts.bytes - this.#options.bytesMax;
    const aged = performance.now() - this.#agedMs >= ageCheckMs;
    if (excess <= 0 && !aged) return 0;
    this.#agedMs = performance.now();
    return file.cutFor(Math.max(0, excess), this.#options.now() - this.#options.ageMaxMs);
  }

  #readFile(seq: number, limit: number): SpoolRow[] {
    try {
      return this.#file?.readAfter(seq, limit) ?? [];
    } catch (error) {
      this.#failed(error);
      return [];
    }
  }

  #dropOldestPending(): void {
    this.#setPending(this.#pending.slice(-memoryRowsMax + 500));
    this.#dropped += 501;
  }

  #setPending(rows: SpoolRow[]): void {
    this.#pending = rows;
    this.#pendingBytes = rows.reduce((sum, row) => sum + row.text.length, 0);
  }

  #flushIn(waitMs: number): void {
    const dueMs = performance.now() + waitMs;
    if (this.#closed || dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => this.flush(), waitMs);
  }

  #failed(error: unknown): void {
    if (!this.#failing)
      this.#options.log.error({ err: error }, 'the spool cannot be written: results wait in memory and may be lost');
    this.#failing = true;
    if (isDamage(error)) this.#discard();
    this.#flushIn(retryMs);
  }

  /** A damaged file is closed here and moved aside when it is opened again. */
  #discard(): void {
    try {
      this.#file?.close();
    } catch {
      // It is given up anyway.
    }
    this.#file = null;
    this.#inFile = { count: 0, bytes: 0 };
  }

  #recovered(): void {
    if (this.#failing) this.#options.log.info({ dropped: this.#dropped }, 'the spool can be written again');
    this.#failing = false;
  }
}
