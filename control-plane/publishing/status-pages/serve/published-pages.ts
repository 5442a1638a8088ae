import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { secondMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { sqlOf } from '../../../platform/db/sql.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { openGate } from '../access/gate.ts';
import { listHosts } from '../domains/store.ts';
import { Gates } from '../gate/gates.ts';
import { Hosts } from '../hosts/hosts.ts';
import { hostsDocument, hostsPath, openHosts } from '../hosts/hosts-document.ts';
import {
  beginSnapshot,
  findPageOfPath,
  listDocuments,
  listRevisions,
  readDocuments,
  type ServedRow,
} from '../publish/document-store.ts';
import { DocumentCache } from './document-cache.ts';
import { slugOfGate } from './document-names.ts';
import { PageFiles, type PublishedDocument } from './page-files.ts';
import { type DocumentHead, headOf, PageIndex } from './page-index.ts';
import { PlainDocuments } from './plain-documents.ts';

/** Documents fetched with one query. */
const batchMax = 50;
/** What is fetched of one page before it is served: more than a publication changes, but for a new address. */
const pendingBytesMax = 32 * 1024 * 1024;
const cacheBytesMax = 64 * 1024 * 1024;
const lookupsPerSecond = 20;
const settleMs = 5 * secondMs;

/**
 * Every published document, synchronized with the table: all on this replica's disk, the bodies used last in memory.
 * Serving one does not need the database: pages stay available when it is not. Documents of one publication are
 * replaced together: nobody sees a new one, and then an old one.
 */
export class PublishedPages {
  /** The same documents for clients that take no gzip. */
  readonly plain = new PlainDocuments();
  /** Who may see which private page. */
  readonly gates = new Gates();
  /** Own domains of pages. */
  readonly hosts = new Hosts();
  readonly #pool: pg.Pool;
  readonly #keyring: Keyring;
  readonly #files: PageFiles | null;
  readonly #cache: DocumentCache;
  readonly #index = new PageIndex();
  readonly #revisions = new Map<string, number>();
  readonly #reading = new Map<string, Promise<PublishedDocument | undefined>>();
  #hostsTag = '';
  #syncing: Promise<void> = Promise.resolve();
  #lookups = { second: 0, count: 0 };

  /** Without a folder nothing is written to disk, and bodies that are not cached are read from the table. */
  constructor(pool: pg.Pool, keyring: Keyring, folder: string | null, log: Logger, bytesMax = cacheBytesMax) {
    this.#pool = pool;
    this.#keyring = keyring;
    this.#files = folder === null ? null : new PageFiles(folder, log);
    this.#cache = new DocumentCache(bytesMax);
  }

  /** What is published at a path below `/status/`. */
  find(path: string): DocumentHead | undefined {
    return this.#index.find(path);
  }

  /** The published document, if its body is cached. */
  get(path: string): PublishedDocument | undefined {
    const head = this.#index.find(path);
    const gzip = head === undefined ? undefined : this.#cache.get(path, head.etag);
    return head === undefined || gzip === undefined ? undefined : { ...head, gzip };
  }

  /** The published document, read once for everybody who asks meanwhile. */
  read(path: string): Promise<PublishedDocument | undefined> {
    const pending = this.#reading.get(path);
    if (pending !== undefined) return pending;
    const reading = this.#read(path).finally(() => this.#reading.delete(path));
    this.#reading.set(path, reading);
    return reading;
  }

  /** The slug that a page has at present; undefined if it is not published. */
  slugOf(pageId: string): string | undefined {
    return this.#index.slugOf(pageId);
  }

  /** Number of published documents. */
  get size(): number {
    return this.#index.size;
  }

  /** Reads the documents on disk; call it before the first `sync`. */
  async load(): Promise<void> {
    for await (const document of this.#files?.readAll() ?? [])
      if (document.path === hostsPath) this.hosts.set(await openHosts(document));
      else this.#put(document);
  }

  /** The next `sync` compares every page: another server may count revisions on from an earlier one. */
  distrustRevisions(): void {
    this.#revisions.clear();
  }

  /** Applies changes of the table to one page or, with null, to all of them. Calls run one after the other. */
  sync(pageId: string | null = null): Promise<void> {
    this.#syncing = this.#syncing.catch(() => undefined).then(() => this.#sync(pageId));
    return this.#syncing;
  }

  /** Waits, at most five seconds, until what is served is on disk: a start without the database has that alone. */
  async settle(): Promise<void> {
    const late = setTimeout(settleMs, undefined, { ref: false });
    await Promise.race([this.#syncing.catch(() => undefined), late]);
  }

  /**
   * Whether a page has the document now, which was not known yet, such as that of a new page. At most 20 per second:
   * anybody can request any path.
   */
  async lookUp(path: string): Promise<boolean> {
    const second = Math.floor(performance.now() / 1000);
    if (this.#lookups.second !== second) this.#lookups = { second, count: 0 };
    this.#lookups.count += 1;
    if (this.#lookups.count > lookupsPerSecond) return false;
    const pageId = await findPageOfPath(sqlOf(this.#pool), path);
    if (pageId === null) return false;
    await this.sync(pageId);
    return true;
  }

  /** From the disk or, if it has another version, from the table; a new version is waited for. */
  async #read(path: string): Promise<PublishedDocument | undefined> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const head = this.#index.find(path);
      if (head === undefined) return undefined;
      const isCurrent = (document: PublishedDocument | null | undefined) => document?.etag === head.etag;
      let document = this.get(path) ?? (await this.#files?.read(path));
      if (!isCurrent(document)) document = (await readDocuments(sqlOf(this.#pool), [path])).map(toDocument)[0];
      if (document !== undefined && document !== null && isCurrent(document)) {
        this.#cache.set(path, head.etag, document.gzip);
        return document;
      }
      await this.sync(head.pageId);
    }
    return undefined;
  }

  async #sync(pageId: string | null): Promise<void> {
    if (pageId === null) await this.#syncHosts();
    const revisions = await listRevisions(sqlOf(this.#pool), pageId);
    const published = new Map(revisions.map(page => [page.id, page.revision]));
    for (const [id, revision] of published) if (this.#revisions.get(id) !== revision) await this.#syncPage(id);
    const known = pageId === null ? new Set([...this.#index.pages(), ...this.#revisions.keys()]) : [pageId];
    for (const id of known) {
      if (published.has(id)) continue;
      this.#revisions.delete(id);
      await this.#remove(id, this.#index.pathsOf(id));
    }
  }

  async #syncHosts(): Promise<void> {
    const rows = await listHosts(sqlOf(this.#pool));
    const document = hostsDocument(rows);
    if (document.etag === this.#hostsTag) return;
    this.hosts.set(rows);
    this.#hostsTag = document.etag;
    await this.#files?.write(document);
  }

  /** Everything is read in one snapshot before any of it is served. */
  async #syncPage(pageId: string): Promise<void> {
    const written: PublishedDocument[] = [];
    const left = await transaction(this.#pool, async sql => {
      await beginSnapshot(sql);
      const [page] = await listRevisions(sql, pageId);
      const heads = await listDocuments(sql, pageId);
      const changed = heads.filter(({ path, ...head }) => {
        const known = this.#index.find(path);
        return known?.etag !== head.etag || known.contentType !== head.content_type || known.pageId !== pageId;
      });
      // Nothing of a page that became private is served after its gate is known.
      changed.sort((left, right) => Number(slugOfGate(right.path) !== null) - Number(slugOfGate(left.path) !== null));
      let [pending, bytes]: [PublishedDocument[], number] = [[], 0];
      for (let start = 0; start < changed.length; start += batchMax) {
        const batch = changed.slice(start, start + batchMax);
        pending.push(
          ...(
            await readDocuments(
              sql,
              batch.map(({ path }) => path),
            )
          ).map(toDocument),
        );
        bytes += batch.reduce((sum, head) => sum + head.bytes, 0);
        if (bytes < pendingBytesMax) continue;
        for (const document of pending) this.#put(document);
        for (const document of pending) await this.#files?.write(document);
        [pending, bytes] = [[], 0];
      }
      const current = new Set(heads.map(({ path }) => path));
      const gone = this.#index.pathsOf(pageId).filter(path => !current.has(path));
      for (const document of pending) this.#put(document);
      for (const path of gone) this.#forget(path);
      if (page !== undefined) this.#revisions.set(pageId, page.revision);
      written.push(...pending);
      return gone;
    });
    // Of a page that became private nothing that was public may be found on disk, whenever this process ends.
    if (written.some(({ path }) => slugOfGate(path) !== null)) await this.#remove(pageId, left);
    for (const document of written) await this.#files?.write(document);
    await this.#remove(pageId, left);
  }

  #put(document: PublishedDocument): void {
    const slug = slugOfGate(document.path);
    if (slug !== null) this.gates.set(slug, openGate(document.gzip, document.pageId, this.#keyring));
    this.#index.set(headOf(document));
    this.#cache.set(document.path, document.etag, document.gzip);
  }

  #forget(path: string): void {
    const slug = slugOfGate(path);
    if (slug !== null) this.gates.delete(slug);
    this.#index.delete(path);
    this.#cache.delete(path);
  }

  /** A path that another page has now stays. */
  async #remove(pageId: string, paths: readonly string[]): Promise<void> {
    const gone = paths.filter(path => (this.#index.find(path)?.pageId ?? pageId) === pageId);
    for (const path of gone) this.#forget(path);
    for (const path of gone) await this.#files?.remove(path);
  }
}

function toDocument(row: ServedRow): PublishedDocument {
  return {
    path: row.path,
    pageId: row.page_id,
    contentType: row.content_type,
    etag: row.etag,
    publishedAt: row.published_at,
    gzip: row.body_gzip,
  };
}
