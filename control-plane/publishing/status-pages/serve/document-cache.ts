import { LRUCache } from 'lru-cache';

type Body = { etag: string; gzip: Buffer };

/** Compressed bodies of documents, the ones used last, up to a number of bytes. */
export class DocumentCache {
  readonly #bodies: LRUCache<string, Body>;

  constructor(bytesMax: number) {
    // Zero is no size there: with one byte nothing is cached.
    const sizeCalculation = ({ gzip }: Body) => Math.max(1, gzip.length);
    this.#bodies = new LRUCache({ maxSize: Math.max(1, bytesMax), sizeCalculation });
  }

  /** The body of this version of the document; undefined if it is not cached. */
  get(path: string, etag: string): Buffer | undefined {
    const body = this.#bodies.get(path);
    return body?.etag === etag ? body.gzip : undefined;
  }

  set(path: string, etag: string, gzip: Buffer): void {
    this.#bodies.set(path, { etag, gzip });
  }

  delete(path: string): void {
    this.#bodies.delete(path);
  }
}
