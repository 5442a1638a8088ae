import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Logger } from '#shared/log.ts';

/** A published document as replicas store it. `gzip` is the compressed body, `publishedAt` when it last changed. */
export type PublishedDocument = {
  path: string;
  pageId: string;
  contentType: string;
  etag: string;
  publishedAt: number;
  gzip: Buffer;
};

const inflate = promisify(gunzip);

const suffix = '.page';

/** Published documents on this machine's disk: a replica that starts while the database is unavailable serves them. */
export class PageFiles {
  readonly #folder: string;
  readonly #log: Logger;
  #hasWarned = false;

  constructor(folder: string, log: Logger) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Every readable document, one after the other; damaged files are ignored. */
  async *readAll(): AsyncGenerator<PublishedDocument> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names.filter(candidate => candidate.endsWith(suffix))) {
      const document = await readFile(join(this.#folder, name)).then(parse, () => null);
      if (document !== null) yield document;
    }
  }

  /** Null if the document is not stored, or damaged. */
  read(path: string): Promise<PublishedDocument | null> {
    return readFile(this.#fileOf(path)).then(parse, () => null);
  }

  /** Replaces the stored document in one step; a failure is logged, not thrown. */
  async write(document: PublishedDocument): Promise<void> {
    const { gzip, ...head } = document;
    const file = this.#fileOf(document.path);
    await this.#attempt(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await using handle = await open(`${file}.new`, 'w');
      await handle.writeFile(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), gzip]));
      // Without it a power loss could leave half a file under the final name.
      await handle.sync();
      await rename(`${file}.new`, file);
    });
  }

  /** Removes a document; one that is not stored is no error. */
  async remove(path: string): Promise<void> {
    await this.#attempt(() => rm(this.#fileOf(path), { force: true }));
  }

  #fileOf(path: string): string {
    return join(this.#folder, `${createHash('sha256').update(path).digest('hex').slice(0, 40)}${suffix}`);
  }

  /** Pages are served without the disk too. Warns once: they would not survive a restart while the database is down. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#hasWarned)
        this.#log.warn(
          { err: error },
          'cannot write to PAGES_DIR: after a restart, pages are unavailable until the database is',
        );
      this.#hasWarned = true;
    }
  }
}

/** A strong ETag without its quotes: a hash of the bytes, the same on every replica. */
export function etagOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
}

/** Null if the file is damaged. */
async function parse(bytes: Buffer): Promise<PublishedDocument | null> {
  try {
    const end = bytes.indexOf(10);
    const head = JSON.parse(bytes.subarray(0, end).toString()) as Omit<PublishedDocument, 'gzip'>;
    const gzip = bytes.subarray(end + 1);
    return etagOf(await inflate(gzip)) === head.etag ? { ...head, gzip } : null;
  } catch {
    return null;
  }
}
