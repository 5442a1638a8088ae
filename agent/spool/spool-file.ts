import { chmodSync, closeSync, mkdirSync, openSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ConfigError } from '#shared/env.ts';
import { errorCode } from '#shared/error-code.ts';

/** One row of the spool; `text` is the result as JSON without `seq`. */
export type SpoolRow = Readonly<{ seq: number; createdMs: number; text: string }>;

const codeBusy = 5;
const codeIo = 10;
const codeCorrupt = 11;
const codeFull = 13;
const codeCannotOpen = 14;
const codeNotADatabase = 26;

/**
 * The spool's SQLite file. A write is one transaction, synced to disk before it returns. Throws SQLite's errors, which
 * `isCorrupt` and `refusalOf` tell apart. Holds an exclusive lock until `close()`.
 */
export class SpoolFile {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #read: StatementSync;
  readonly #oldest: StatementSync;

  constructor(path: string) {
    makePrivate(path);
    this.#database = new DatabaseSync(path);
    try {
      this.#prepareFile();
      this.#insert = this.#database.prepare(`
        insert into results (seq, created_ms, text)
        values (?, ?, ?)`);
      this.#delete = this.#database.prepare(`
        delete from results
        where seq <= ?
        returning seq, octet_length(text) as bytes`);
      this.#read = this.#database.prepare(`
        select seq, created_ms as createdMs, text
        from results
        where seq > ?
        order by seq
        limit ?`);
      this.#oldest = this.#database.prepare(`
        select seq, created_ms as createdMs, octet_length(text) as bytes
        from results
        order by seq`);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Deletes all rows up to `deleteUpTo` and inserts `rows`, in one transaction; returns the deleted rows. */
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

  /** Writes and syncs although there is nothing to write: throws if the disk cannot be written. */
  writeNothing(): void {
    this.#database.exec(`pragma user_version = ${Math.floor(Math.random() * 2 ** 31)}`);
  }

  /** At most `limit` rows with a greater number, in order. */
  readAfter(seq: number, limit: number): SpoolRow[] {
    return this.#read.all(seq, limit) as SpoolRow[];
  }

  /** The highest number ever used, including by deleted rows; 0 for none. */
  lastSeq(): number {
    return this.#readNumber("select coalesce(max(seq), 0) as n from sqlite_sequence where name = 'results'");
  }

  count(): number {
    return this.#readNumber('select count(*) as n from results');
  }

  /** Bytes of all stored results, in UTF-8. */
  bytes(): number {
    return this.#readNumber('select coalesce(sum(octet_length(text)), 0) as n from results');
  }

  /** The last row to delete, from the oldest, to free `bytes` and every row created before an instant; 0 for none. */
  lastSeqToFree(bytes: number, createdBeforeMs: number): number {
    let lastSeq = 0;
    let freed = 0;
    for (const row of this.#oldest.iterate() as Iterable<{ seq: number; createdMs: number; bytes: number }>) {
      if (freed >= bytes && row.createdMs >= createdBeforeMs) break;
      freed += row.bytes;
      lastSeq = row.seq;
    }
    return lastSeq;
  }

  close(): void {
    this.#database.close();
  }

  #prepareFile(): void {
    // Exclusive locking needs no shared-memory file and refuses a second agent on the same folder.
    this.#database.exec(`
      pragma locking_mode = exclusive;
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma journal_size_limit = 8388608;
      pragma wal_autocheckpoint = 500;
      pragma cache_size = -1024`);
    this.#database.exec(`
      begin immediate;
      create table if not exists results (
        seq integer primary key autoincrement,
        created_ms integer not null,
        text text not null
      );
      commit`);
    const check = this.#database.prepare('pragma quick_check(1)').get();
    if (check?.quick_check !== 'ok')
      throw Object.assign(new Error('the spool file is corrupt'), { errcode: codeCorrupt });
  }

  #readNumber(sql: string): number {
    return Number(this.#database.prepare(sql).get()?.n ?? 0);
  }

  #rollBack(): void {
    try {
      this.#database.exec('rollback');
    } catch {
      // SQLite rolls back by itself on some errors, such as a full disk.
    }
  }
}

/** True if the file itself is corrupt, as opposed to a full or failing disk. */
export function isCorrupt(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code === codeCorrupt || code === codeNotADatabase;
}

/** Why an agent must not start with this folder; null if the disk is full or fails, which may pass. */
export function refusalOf(error: unknown, directory: string): ConfigError | null {
  if (sqliteCodeOf(error) === codeBusy)
    return new ConfigError(`another agent is using the spool in ${directory}`, { cause: error });
  if (isFaultOfDisk(error, directory)) return null;
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigError(`the spool in ${directory} cannot be written: ${reason}`, { cause: error });
}

function isFaultOfDisk(error: unknown, directory: string): boolean {
  if (['ENOSPC', 'EDQUOT', 'EIO'].includes(errorCode(error) ?? '')) return true;
  const code = sqliteCodeOf(error);
  // Where no file can be added, SQLite does not say why.
  return code === codeFull || code === codeIo || (code === codeCannotOpen && hasNoRoom(directory));
}

function hasNoRoom(directory: string): boolean {
  try {
    const { bavail, files, ffree } = statfsSync(directory);
    return bavail === 0 || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}

/** Opens the spool of a folder, creating both. A corrupt file is renamed to `movedTo` and replaced by an empty one. */
export function openSpoolFile(directory: string): { file: SpoolFile; movedTo: string | null } {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, 'spool.sqlite');
  try {
    return { file: new SpoolFile(path), movedTo: null };
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return { movedTo: quarantine(path), file: new SpoolFile(path) };
  }
}

/** Results contain parts of responses: only this user may read them. SQLite gives its other files the same mode. */
function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

function quarantine(path: string): string {
  const movedTo = `${path}.damaged-${Date.now()}`;
  renameSync(path, movedTo);
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  return movedTo;
}

function sqliteCodeOf(error: unknown): number {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return 0;
  return error.errcode & 0xff;
}
