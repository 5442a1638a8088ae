import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** One row of the spool: its result as JSON text without `seq`. */
export type SpoolRow = Readonly<{ seq: number; createdMs: number; text: string }>;

const codeBusy = 5;
const codeCorrupt = 11;
const codeNotADatabase = 26;

/** The results on disk. Every write is one transaction, synced before it returns; errors rise to the spool. */
export class SpoolFile {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #read: StatementSync;
  readonly #oldest: StatementSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    try {
      this.#prepareFile();
      this.#insert = this.#database.prepare('insert into results (seq, created_ms, text) values (?, ?, ?)');
      this.#delete = this.#database.prepare('delete from results where seq <= ? returning seq, length(text) as bytes');
      this.#read = this.#database.prepare(
        'select seq, created_ms as createdMs, text from results where seq > ? order by seq limit ?',
      );
      this.#oldest = this.#database.prepare(
        'select seq, created_ms as createdMs, length(text) as bytes from results order by seq',
      );
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Deletes all up to `deleteUpTo` and appends rows, together or not at all; gives what was deleted. */
  write(deleteUpTo: number, rows: readonly SpoolRow[]): readonly { seq: number; bytes: number }[] {
    this.#database.exec('begin immediate');
    try {
      const deleted = deleteUpTo > 0 ? (this.#delete.all(deleteUpTo) as { seq: number; bytes: number }[]) : [];
      for (const row of rows) this.#insert.run(row.seq, row.createdMs, row.text);
      this.#database.exec('commit');
      return deleted;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  readAfter(seq: number, limit: number): SpoolRow[] {
    return this.#read.all(seq, limit) as SpoolRow[];
  }

  /** Highest number ever given, also of rows that are gone. */
  lastSeq(): number {
    return this.#number("select coalesce(max(seq), 0) as n from sqlite_sequence where name = 'results'");
  }

  count(): number {
    return this.#number('select count(*) as n from results');
  }

  bytes(): number {
    return this.#number('select coalesce(sum(length(text)), 0) as n from results');
  }

  /** Last of the oldest rows that must go to free so many bytes and all that was made before an instant; 0 for none. */
  cutFor(bytes: number, madeBeforeMs: number): number {
    let cut = 0;
    let freed = 0;
    for (const row of this.#oldest.iterate() as Iterable<{ seq: number; createdMs: number; bytes: number }>) {
      if (freed >= bytes && row.createdMs >= madeBeforeMs) break;
      freed += row.bytes;
      cut = row.seq;
    }
    return cut;
  }

  close(): void {
    this.#database.close();
  }

  #prepareFile(): void {
    // Exclusive: no shared-memory file, and a second agent on the same directory is refused.
    this.#database.exec(`pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full;
      pragma journal_size_limit = 8388608; pragma wal_autocheckpoint = 500; pragma cache_size = -1024`);
    this.#database.exec(`begin immediate;
      create table if not exists results (seq integer primary key autoincrement, created_ms integer not null, text text not null);
      commit`);
    const found = this.#database.prepare('pragma quick_check(1)').get();
    if (found?.quick_check !== 'ok') throw Object.assign(new Error('the spool is damaged'), { errcode: codeCorrupt });
  }

  #number(sql: string): number {
    return Number(this.#database.prepare(sql).get()?.n ?? 0);
  }

  #rollBack(): void {
    try {
      this.#database.exec('rollback');
    } catch {
      // Some errors have rolled back already.
    }
  }
}

/** True when the file itself is beyond use, as against a disk that is full or failing. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error);
  return code === codeCorrupt || code === codeNotADatabase;
}

/** True when another process holds the file. */
export function isHeldByAnother(error: unknown): boolean {
  return codeOf(error) === codeBusy;
}

/** Opens the spool of a directory; a damaged one is moved aside first, to the name returned in `movedTo`. */
export function openSpoolFile(directory: string): { file: SpoolFile; movedTo: string | null } {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'spool.sqlite');
  try {
    return { file: new SpoolFile(path), movedTo: null };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { movedTo: moveAside(path), file: new SpoolFile(path) };
  }
}

function moveAside(path: string): string {
  const movedTo = `${path}.damaged-${Date.now()}`;
  renameSync(path, movedTo);
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  return movedTo;
}

function codeOf(error: unknown): number {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return 0;
  return error.errcode & 0xff;
}
