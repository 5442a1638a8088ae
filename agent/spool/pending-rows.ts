import type { SpoolRow } from './spool-file.ts';

/** With its size in UTF-8, as the file counts it. */
type PendingRow = SpoolRow & { bytes: number };

const rowsMax = 5000;
/** Rows left after an overflow. Dropping many at once avoids copying 5,000 rows for each new result. */
const rowsAfterOverflow = 4500;

/** Rows that wait in memory for the disk, in order, and their size. */
export class PendingRows {
  #rows: PendingRow[] = [];
  #bytes = 0;

  get rows(): readonly SpoolRow[] {
    return this.#rows;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns how many of the oldest rows were dropped, because there are too many. */
  add(row: SpoolRow): number {
    const bytes = Buffer.byteLength(row.text);
    this.#rows.push({ ...row, bytes });
    this.#bytes += bytes;
    if (this.#rows.length <= rowsMax) return 0;
    const overflow = this.#rows.length - rowsAfterOverflow;
    this.#set(this.#rows.slice(overflow));
    return overflow;
  }

  /** Forgets all rows up to a number. */
  deleteUpTo(seq: number): void {
    this.#set(this.#rows.filter(row => row.seq > seq));
  }

  clear(): void {
    this.#set([]);
  }

  /** Numbers the rows anew, in the same order. */
  renumberFrom(firstSeq: number): void {
    this.#rows = this.#rows.map((row, index) => ({ ...row, seq: firstSeq + index }));
  }

  #set(rows: PendingRow[]): void {
    this.#rows = rows;
    this.#bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  }
}
