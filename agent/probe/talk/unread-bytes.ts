/** The bytes of a stream that nobody has taken yet, and why no more come. */
export class UnreadBytes {
  #bytes: Buffer = Buffer.alloc(0);
  #failure: Error | null = null;
  #wake = () => {};

  get length(): number {
    return this.#bytes.length;
  }

  /** All of them, which stay. */
  peek(): Buffer {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    this.#wake();
  }

  /** No more come. The first reason counts; what is here can still be taken. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#wake();
  }

  /**
   * Waits until `find` gives the length of what is to be taken; 0: not there yet, null: it will not come. Throws the
   * reason of `fail` if it is not there by then.
   */
  async take(find: (unread: Buffer) => number): Promise<Buffer>;
  async take(find: (unread: Buffer) => number | null): Promise<Buffer | null>;
  async take(find: (unread: Buffer) => number | null): Promise<Buffer | null> {
    for (;;) {
      const length = find(this.#bytes);
      if (length === null) return null;
      if (length > 0) {
        const taken = this.#bytes.subarray(0, length);
        this.#bytes = this.#bytes.subarray(length);
        return taken;
      }
      if (this.#failure !== null) throw this.#failure;
      const more = Promise.withResolvers<void>();
      this.#wake = more.resolve;
      await more.promise;
    }
  }
}
