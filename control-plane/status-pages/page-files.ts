import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Logger } from '#shared/log.ts';

/** A published document as a replica holds it. */
export type PublishedDocument = { path: string; pageId: string; contentType: string; etag: string; gzip: Buffer };

const suffix = '.page';

/** The documents on this machine's disk: what a replica serves when it starts while the database is away. */
export class PageFiles {
  readonly #folder: string;
  readonly #log: Logger;
  #told = false;

  constructor(folder: string, log: Logger) {
    this.#folder = folder;
    this.#log = log;
  }

  /** All that can be read; a damaged file is none. */
  async readAll(): Promise<PublishedDocument[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const documents: PublishedDocument[] = [];
    for (const name of names.filter(candidate => candidate.endsWith(suffix))) {
      const document = await readFile(join(this.#folder, name)).then(parse, () => null);
      if (document !== null) documents.push(document);
    }
    return documents;
  }

  async write(document: PublishedDocument): Promise<void> {
    const { gzip, ...head } = document;
    const place = this.#place(document.path);
    await this.#attempt(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await using file = await open(`${place}.new`, 'w');
      await file.writeFile(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), gzip]));
      // A name that points to half a file after a power loss would be worse than none.
      await file.sync();
      await rename(`${place}.new`, place);
    });
  }

  async remove(path: string): Promise<void> {
    await this.#attempt(() => rm(this.#place(path), { force: true }));
  }

  #place(path: string): string {
    return join(this.#folder, `${createHash('sha256').update(path).digest('hex').slice(0, 40)}${suffix}`);
  }

  /** Without the disk pages are served all the same; that they would not outlive a restart is told once. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#told)
        this.#log.warn(
          { err: error },
          'PAGES_DIR cannot be written: after a restart without database no page is served',
        );
      this.#told = true;
    }
  }
}

/** Names the bytes of a document: strong, the same everywhere. */
export function etagOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
}

function parse(bytes: Buffer): PublishedDocument | null {
  try {
    const end = bytes.indexOf(10);
    const head = JSON.parse(bytes.subarray(0, end).toString()) as Omit<PublishedDocument, 'gzip'>;
    const gzip = bytes.subarray(end + 1);
    return etagOf(gunzipSync(gzip)) === head.etag ? { ...head, gzip } : null;
  } catch {
    return null;
  }
}
