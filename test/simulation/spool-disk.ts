import type { SpoolFile, SpoolRow } from '#agent/spool/spool-file.ts';
import type { Process } from './process.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Called with rows that are deleted; those up to the number were beyond the bounds of the spool. */
export type OnDeleted = (rows: readonly SpoolRow[], freedUpTo: number) => void;

/** An agent's disk: it outlives the process. A write is whole and synced, or fails, and so do reads meanwhile. */
export class SpoolDisk {
  readonly #time: VirtualTime;
  readonly #deleted: OnDeleted;
  #rows: readonly SpoolRow[] = [];
  #lastSeq = 0;
  #freedUpTo = 0;
  #failsUntil = 0;

  constructor(time: VirtualTime, deleted: OnDeleted) {
    this.#time = time;
    this.#deleted = deleted;
  }

  failUntil(atMs: number): void {
    this.#failsUntil = Math.max(atMs, this.#failsUntil);
  }

  get rows(): readonly SpoolRow[] {
    return this.#rows;
  }

  /** The spool's file for one process, instead of SQLite's. */
  open(process: Process): SpoolFile {
    const file: Pick<SpoolFile, keyof SpoolFile> = {
      write: (deleteUpTo, rows) => {
        this.#require(process);
        const deleted = this.#rows.filter(row => row.seq <= deleteUpTo);
        this.#rows = [...this.#rows.filter(row => row.seq > deleteUpTo), ...rows];
        this.#lastSeq = Math.max(this.#lastSeq, rows.at(-1)?.seq ?? 0);
        if (deleted.length > 0) this.#deleted(deleted, this.#freedUpTo);
        return deleted.map(({ seq, text }) => ({ seq, bytes: text.length }));
      },
      writeNothing: () => this.#require(process),
      readAfter: (seq, limit) => {
        this.#require(process);
        const first = this.#rows.findIndex(row => row.seq > seq);
        return first < 0 ? [] : this.#rows.slice(first, first + limit);
      },
      lastSeq: () => this.#lastSeq,
      count: () => this.#rows.length,
      bytes: () => this.#rows.reduce((sum, { text }) => sum + text.length, 0),
      lastSeqToFree: (bytes, createdBeforeMs) => {
        this.#require(process);
        let freed = 0;
        for (const { seq, text, createdMs } of this.#rows) {
          if (freed >= bytes && createdMs >= createdBeforeMs) break;
          freed += text.length;
          this.#freedUpTo = Math.max(seq, this.#freedUpTo);
        }
        return freed === 0 ? 0 : this.#freedUpTo;
      },
      close: () => {},
    };
    return file as SpoolFile;
  }

  #require(process: Process): void {
    if (this.#failsUntil > this.#time.now || !process.alive)
      throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
  }
}
