import type pg from 'pg';
import type { Logger } from '#shared/log.ts';
import { sqlOf } from '../db/sql.ts';
import { PageFiles, type PublishedDocument } from './page-files.ts';
import { listEtags, listRevisions, readDocuments } from './publication-store.ts';

/** Documents fetched at once from the table. */
const batchMax = 50;
const lookupsPerSecond = 20;

/**
 * Every published document in this replica's memory and on its disk, kept up with the table. Once read, none of them needs
 * the database: the page outlives it.
 */
export class PublishedPages {
  readonly #pool: pg.Pool;
  readonly #files: PageFiles | null;
  readonly #documents = new Map<string, PublishedDocument>();
  readonly #revisions = new Map<string, number>();
  #syncing: Promise<void> = Promise.resolve();
  #lookups = { second: 0, count: 0 };

  /** Without a folder nothing is kept on disk. */
  constructor(pool: pg.Pool, folder: string | null, log: Logger) {
    this.#pool = pool;
    this.#files = folder === null ? null : new PageFiles(folder, log);
  }

  get(path: string): PublishedDocument | undefined {
    return this.#documents.get(path);
  }

  get size(): number {
    return this.#documents.size;
  }

  /** What the disk holds, before the table was asked. */
  async load(): Promise<void> {
    for (const document of (await this.#files?.readAll()) ?? []) this.#documents.set(document.path, document);
  }

  /** Takes over what changed in the table since, of one page or of all; calls come one after the other. */
  sync(pageId: string | null = null): Promise<void> {
    this.#syncing = this.#syncing.catch(() => undefined).then(() => this.#sync(pageId));
    return this.#syncing;
  }

  /** A document that is not held yet: a page made a moment ago. Bounded, since anybody can ask for anything. */
  async lookUp(path: string): Promise<PublishedDocument | undefined> {
    const second = Math.floor(performance.now() / 1000);
    if (this.#lookups.second !== second) this.#lookups = { second, count: 0 };
    this.#lookups.count += 1;
    if (this.#lookups.count > lookupsPerSecond) return undefined;
    const [row] = await readDocuments(sqlOf(this.#pool), [path]);
    return row === undefined ? undefined : toDocument(row);
  }

  async #sync(pageId: string | null): Promise<void> {
    const revisions = await listRevisions(sqlOf(this.#pool), pageId);
    const known = new Set(revisions.map(page => page.id));
    for (const page of revisions)
      if (this.#revisions.get(page.id) !== page.revision) {
        await this.#syncPage(page.id);
        this.#revisions.set(page.id, page.revision);
      }
    const gone = (id: string) => (pageId === null || id === pageId) && !known.has(id);
    for (const document of [...this.#documents.values()]) if (gone(document.pageId)) await this.#drop(document.path);
    for (const id of this.#revisions.keys()) if (gone(id)) this.#revisions.delete(id);
  }

  async #syncPage(pageId: string): Promise<void> {
    const sql = sqlOf(this.#pool);
    const etags = await listEtags(sql, pageId);
    const changed = etags.filter(({ path, etag }) => {
      const held = this.#documents.get(path);
      return held === undefined || held.etag !== etag || held.pageId !== pageId;
    });
    for (let start = 0; start < changed.length; start += batchMax) {
      const paths = changed.slice(start, start + batchMax).map(({ path }) => path);
      for (const row of await readDocuments(sql, paths)) await this.#hold(toDocument(row));
    }
    const current = new Set(etags.map(({ path }) => path));
    for (const document of [...this.#documents.values()])
      if (document.pageId === pageId && !current.has(document.path)) await this.#drop(document.path);
  }

  async #hold(document: PublishedDocument): Promise<void> {
    this.#documents.set(document.path, document);
    await this.#files?.write(document);
  }

  async #drop(path: string): Promise<void> {
    this.#documents.delete(path);
    await this.#files?.remove(path);
  }
}

function toDocument(row: Awaited<ReturnType<typeof readDocuments>>[number]): PublishedDocument {
  return {
    path: row.path,
    pageId: row.page_id,
    contentType: row.content_type,
    etag: row.etag,
    gzip: row.body_gzip,
  };
}
