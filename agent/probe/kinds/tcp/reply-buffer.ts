import type { TakeBytes } from '../../http/body-reader.ts';

/** Most bytes that are read of an answer. */
const replyBytesMax = 65_536;
const firstSize = 4096;

/** What came of an answer, in memory that grows with it: it may come byte by byte. */
export class ReplyBuffer {
  readonly #takeBytes: TakeBytes;
  #bytes = Buffer.alloc(0);
  #length = 0;

  constructor(takeBytes: TakeBytes) {
    this.#takeBytes = takeBytes;
  }

  get length(): number {
    return this.#length;
  }

  get isFull(): boolean {
    return this.#length === replyBytesMax;
  }

  /** Takes as much as there is room for; false if the agent has no memory for it. */
  append(chunk: Buffer): boolean {
    const length = Math.min(this.#length + chunk.length, replyBytesMax);
    if (length > this.#bytes.length && !this.#grow(length)) return false;
    this.#length += chunk.copy(this.#bytes, this.#length, 0, length - this.#length);
    return true;
  }

  text(): string {
    return this.#bytes.toString('utf8', 0, this.#length);
  }

  #grow(length: number): boolean {
    const size = Math.min(replyBytesMax, Math.max(firstSize, 2 ** Math.ceil(Math.log2(length))));
    if (!this.#takeBytes(size - this.#bytes.length)) return false;
    const grown = Buffer.alloc(size);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
    return true;
  }
}
