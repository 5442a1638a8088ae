/** Compressed bodies of documents, the ones used last, up to a number of bytes. */
export class DocumentCache {
  readonly #bodies = new Map<string, { etag: string; gzip: Buffer }>();
  readonly #bytesMax: number;
  #bytes = 0;
  /** The path that was used last: most visits are to one page. */
  #latest = '';

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The body of this version of the document; undefined if it is not cached. */
  get(path: string, etag: string): Buffer | undefined {
    const body = this.#bodies.get(path);
    if (body?.etag !== etag) return undefined;
    if (path !== this.#latest) {
      this.#bodies.delete(path);
      this.#bodies.set(path, body);
      this.#latest = path;
    }
    return body.gzip;
  }

  set(path: string, etag: string, gzip: Buffer): void {
    this.delete(path);
    this.#bodies.set(path, { etag, gzip });
    this.#latest = path;
    this.#bytes += gzip.length;
    for (const oldest of this.#bodies.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.delete(oldest);
    }
  }

  delete(path: string): void {
    this.#bytes -= this.#bodies.get(path)?.gzip.length ?? 0;
    this.#bodies.delete(path);
  }
}
