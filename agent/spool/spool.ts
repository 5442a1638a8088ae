import { minuteMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { processTimers, type Timer, type Timers } from '#shared/timers.ts';
import type { UnspooledResult } from '../probe/check.ts';
import { PendingRows } from './pending-rows.ts';
import { isCorrupt, openSpoolFile, refusalOf, type SpoolFile, type SpoolRow } from './spool-file.ts';

export type SpoolOptions = {
  directory: string;
  bytesMax: number;
  ageMaxMs: number;
  now: () => number;
  log: Logger;
  /** Called after each write attempt: there may be new rows to read. */
  onRows: () => void;
  open?: typeof openSpoolFile;
  timers?: Timers;
};

/**
 * Stored results, in memory and on disk, and their size; `dropped` counts those lost since the program started.
 * `failing`: the disk cannot be written at present.
 */
export type SpoolCounts = { count: number; bytes: number; dropped: number; failing: boolean };

const successWaitMs = 250;
/** Failures are written immediately, but syncs are at least this far apart. */
const syncGapMs = 20;
const deleteWaitMs = 1000;
const retryMs = 1000;
const ageCheckMs = minuteMs;
const warnEveryMs = 10 * minuteMs;

/**
 * Stores results on disk, safe against a crash, until they are acknowledged. While the disk fails they are kept in
 * bounded memory, and checks continue. Drops the oldest results beyond its size or age, and counts them.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #timers: Timers;
  readonly #pending = new PendingRows();
  #file: SpoolFile | null = null;
  #stored = { count: 0, bytes: 0 };
  #dropped = 0;
  #nextSeq = 1;
  #ackedSeq = 0;
  /** Stored rows after this number could not be read when later ones were sent from memory. */
  #skippedAfter = Number.POSITIVE_INFINITY;
  #deletedSeq = 0;
  #timer: Timer | undefined;
  #flushAtMs = Number.POSITIVE_INFINITY;
  #lastFlushMs = Number.NEGATIVE_INFINITY;
  #lastAgeCheckMs = Number.NEGATIVE_INFINITY;
  #failing = false;
  #warnedMs = Number.NEGATIVE_INFINITY;
  #closed = false;

  /** Throws ConfigError if another agent uses the folder or it may not be written. Faults of the disk are retried. */
  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#timers = options.timers ?? processTimers;
    try {
      this.#open().writeNothing();
    } catch (error) {
      const refusal = refusalOf(error, options.directory);
      if (refusal !== null) this.#discard();
      if (refusal !== null) throw refusal;
      // The numbers in a file that is opened later are lower, so that its results are not taken for acknowledged.
      if (this.#file === null) this.#nextSeq = Math.max(1, Math.floor(options.now()));
      this.#onFailure(error);
    }
  }

  get counts(): SpoolCounts {
    return {
      count: this.#stored.count + this.#pending.rows.length,
      bytes: this.#stored.bytes + this.#pending.bytes,
      dropped: this.#dropped,
      failing: this.#failing,
    };
  }

  /** Stores a result: within 20 ms if the check failed, otherwise within 250 ms. */
  append(result: UnspooledResult): void {
    const text = JSON.stringify(result);
    this.#dropped += this.#pending.add({ seq: this.#nextSeq++, createdMs: this.#options.now(), text });
    const gapMs = this.#lastFlushMs + syncGapMs - this.#timers.now();
    this.#flushIn(this.#failing ? retryMs : result.status === 'err' ? Math.max(0, gapMs) : successWaitMs);
  }

  /**
   * At most `limit` rows with a greater number, in order. Rows in memory are included only while the disk fails, also
   * if stored rows before them cannot be read: those are returned when all is read again from the oldest.
   */
  readAfter(seq: number, limit: number): SpoolRow[] {
    const after = Math.max(seq, this.#ackedSeq);
    // Nothing more is sent past rows that can be read again, so that they have their turn.
    if (after > this.#skippedAfter && this.#readFile(this.#skippedAfter, 1) !== null) return [];
    const stored = this.#readFile(after, limit);
    if (stored !== null && after <= this.#skippedAfter) this.#skippedAfter = Number.POSITIVE_INFINITY;
    const rows = stored ?? [];
    if (!this.#failing || rows.length === limit) return rows;
    const lastSeq = rows.at(-1)?.seq ?? after;
    const unstored = this.#pending.rows.filter(row => row.seq > lastSeq).slice(0, limit - rows.length);
    if (stored === null && (unstored[0]?.seq ?? 0) > after + 1)
      this.#skippedAfter = Math.min(after, this.#skippedAfter);
    return [...rows, ...unstored];
  }

  /** Marks everything returned up to `seq` as received; it is deleted within a second. */
  acknowledge(seq: number): void {
    if (seq <= this.#ackedSeq) return;
    this.#ackedSeq = Math.min(seq, this.#skippedAfter, this.#nextSeq - 1);
    if (this.#failing) this.#pending.deleteUpTo(seq);
    this.#flushIn(deleteWaitMs);
  }

  /** Writes waiting results and deletions now. Does not throw: an error is logged and retried. */
  flush(): void {
    this.#timer?.cancel();
    this.#flushAtMs = Number.POSITIVE_INFINITY;
    this.#lastFlushMs = this.#timers.now();
    try {
      const file = this.#file ?? this.#open();
      // Only a real read and write prove that the disk works again.
      if (this.#failing) file.readAfter(this.#ackedSeq, 1);
      if (!this.#write(file) && this.#failing) file.writeNothing();
      this.#onSuccess();
    } catch (error) {
      this.#onFailure(error);
    }
    this.#options.onRows();
  }

  /** Writes what is waiting and closes the file. */
  close(): void {
    this.flush();
    this.#closed = true;
    this.#timer?.cancel();
    this.#file?.close();
    this.#file = null;
    if (this.#pending.rows.length > 0)
      this.#options.log.error(
        { lost: this.#pending.rows.length },
        'results in memory are lost: the spool cannot be written',
      );
  }

  #open(): SpoolFile {
    const { file, movedTo } = (this.#options.open ?? openSpoolFile)(this.#options.directory);
    if (movedTo !== null) {
      const lost = this.#unacknowledgedCount;
      this.#dropped += lost;
      this.#options.log.error(
        { movedTo, lost },
        'the spool was corrupt: it was renamed to movedTo and replaced by an empty one',
      );
    }
    this.#file = file;
    this.#stored = { count: file.count(), bytes: file.bytes() };
    const lastSeq = file.lastSeq();
    const { rows } = this.#pending;
    if (this.#nextSeq <= lastSeq) this.#nextSeq = lastSeq + 1 + rows.length;
    // Results that came while the file was not open were numbered without knowing the numbers it contains.
    if (rows.some(row => row.seq <= lastSeq)) this.#pending.renumberFrom(this.#nextSeq - rows.length);
    return file;
  }

  /** Rows of the file that are still to be sent; 0 when the program starts, as nobody knows. */
  get #unacknowledgedCount(): number {
    const lastStoredSeq = this.#nextSeq - 1 - this.#pending.rows.length;
    return Math.max(0, Math.min(this.#stored.count, lastStoredSeq - this.#ackedSeq));
  }

  /** False if there was nothing to write. */
  #write(file: SpoolFile): boolean {
    const deleteUpTo = Math.max(this.#lastSeqToDrop(file), this.#ackedSeq);
    const { rows, bytes } = this.#pending;
    if (rows.length === 0 && deleteUpTo <= this.#deletedSeq) return false;
    const deleted = file.write(deleteUpTo > this.#deletedSeq ? deleteUpTo : 0, rows);
    for (const row of deleted) {
      this.#stored.count--;
      this.#stored.bytes -= row.bytes;
      if (row.seq > this.#ackedSeq) this.#dropped++;
    }
    this.#deletedSeq = Math.max(this.#deletedSeq, deleteUpTo);
    this.#stored.count += rows.length;
    this.#stored.bytes += bytes;
    this.#pending.clear();
    return true;
  }

  /** The last row to drop because the spool is too big or rows are too old; 0 for none. Age is checked each minute. */
  #lastSeqToDrop(file: SpoolFile): number {
    const excess = this.counts.bytes - this.#options.bytesMax;
    const ageCheckDue = this.#timers.now() - this.#lastAgeCheckMs >= ageCheckMs;
    if (excess <= 0 && !ageCheckDue) return 0;
    this.#lastAgeCheckMs = this.#timers.now();
    return file.lastSeqToFree(Math.max(0, excess), this.#options.now() - this.#options.ageMaxMs);
  }

  /** Null if the file cannot be read. */
  #readFile(seq: number, limit: number): SpoolRow[] | null {
    try {
      return this.#file?.readAfter(seq, limit) ?? null;
    } catch (error) {
      this.#onFailure(error);
      return null;
    }
  }

  #flushIn(waitMs: number): void {
    const flushAtMs = this.#timers.now() + waitMs;
    if (this.#closed || flushAtMs >= this.#flushAtMs) return;
    this.#timer?.cancel();
    this.#flushAtMs = flushAtMs;
    this.#timer = this.#timers.after(waitMs, () => this.flush());
  }

  #onFailure(error: unknown): void {
    const now = this.#timers.now();
    if (!this.#failing || now - this.#warnedMs >= warnEveryMs) {
      this.#warnedMs = now;
      this.#options.log.error(
        { err: error, ...this.counts },
        'the spool cannot be written: results are kept in memory and may be lost',
      );
    }
    this.#failing = true;
    if (isCorrupt(error)) this.#discard();
    this.#flushIn(retryMs);
  }

  /** Closes a corrupt file; it is renamed when the spool is opened again. */
  #discard(): void {
    try {
      this.#file?.close();
    } catch {
      // The file is abandoned anyway.
    }
    this.#file = null;
  }

  #onSuccess(): void {
    if (this.#failing) this.#options.log.info({ dropped: this.#dropped }, 'the spool can be written again');
    this.#failing = false;
  }
}
