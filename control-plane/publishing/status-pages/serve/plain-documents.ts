import { gunzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { PublishedDocument } from './page-files.ts';

const bytesMax = 32 * 1024 * 1024;

/**
 * Documents for clients that take no gzip, inflated off the event loop, once for everybody who asks meanwhile. The ones
 * used last are cached, up to 32 MiB.
 */
export class PlainDocuments {
  readonly #cache = new LRUCache<string, Buffer>({
    maxSize: bytesMax,
    // Zero is no size there.
    sizeCalculation: ({ length }) => Math.max(1, length),
  });
  readonly #pending = new Map<string, Promise<Buffer>>();

  /** The cached bytes; null if they have to be inflated. */
  get({ etag }: PublishedDocument): Buffer | null {
    return this.#cache.get(etag) ?? null;
  }

  inflate(document: PublishedDocument): Promise<Buffer> {
    const { etag } = document;
    const pending = this.#pending.get(etag);
    if (pending !== undefined) return pending;
    const inflating = inflated(document.gzip)
      .then(plain => {
        this.#cache.set(etag, plain);
        return plain;
      })
      .finally(() => this.#pending.delete(etag));
    this.#pending.set(etag, inflating);
    return inflating;
  }
}

/** The length of what a gzip file holds, from its last four bytes (RFC 1952 §2.3.1). */
export function plainLength(gzip: Buffer): number {
  return gzip.readUInt32LE(gzip.length - 4);
}

function inflated(gzip: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    gunzip(gzip, (error, plain) => (error === null ? resolve(plain) : reject(error))),
  );
}
