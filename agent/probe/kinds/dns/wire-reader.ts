import { labelText } from './text.ts';

/** The message is not what RFC 1035 describes. */
export class MessageError extends Error {
  override name = 'MessageError';
}

type Name = Readonly<{ text: string; wireLength: number; end: number }>;

const nameBytesMax = 255;
const depthMax = 255;

/**
 * Reads a message from its beginning. Each name is read once however many point to it: of 64 KiB whose pointers lead
 * from one to the next, `dns-packet` takes half a second (measured), during which no other check goes on.
 */
export class WireReader {
  readonly #bytes: Buffer;
  readonly #names = new Map<number, Name>();
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get offset(): number {
    return this.#offset;
  }

  u8(): number {
    return this.take(1).readUInt8();
  }

  u16(): number {
    return this.take(2).readUInt16BE();
  }

  u32(): number {
    return this.take(4).readUInt32BE();
  }

  take(count: number): Buffer {
    const end = this.#offset + count;
    if (end > this.#bytes.length || count < 0) throw new MessageError();
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }

  /** A string of up to 255 bytes after its length. */
  string(): Buffer {
    return this.take(this.u8());
  }

  /** A domain name in presentation form, in lower case and without the final dot; the root is `.`. */
  name(): string {
    const { text, end } = this.#nameAt(this.#offset, 0);
    this.#offset = end;
    return text === '' ? '.' : text;
  }

  #nameAt(offset: number, depth: number): Name {
    const known = this.#names.get(offset);
    if (known !== undefined) return known;
    if (depth > depthMax) throw new MessageError();
    const name = this.#readName(offset, depth);
    this.#names.set(offset, name);
    return name;
  }

  #readName(offset: number, depth: number): Name {
    const [length, second] = [this.#bytes[offset], this.#bytes[offset + 1]];
    if (length === 0) return { text: '', wireLength: 1, end: offset + 1 };
    if (length === undefined || second === undefined) throw new MessageError();
    if (length >= 0xc0) {
      const target = ((length & 0x3f) << 8) | second;
      if (target >= offset) throw new MessageError();
      return { ...this.#nameAt(target, depth + 1), end: offset + 2 };
    }
    if (length > 63) throw new MessageError();
    const start = offset + 1;
    const rest = this.#nameAt(start + length, depth + 1);
    const wireLength = length + 1 + rest.wireLength;
    if (wireLength > nameBytesMax) throw new MessageError();
    const label = labelText(this.#bytes.subarray(start, start + length));
    return { text: rest.text === '' ? label : `${label}.${rest.text}`, wireLength, end: rest.end };
  }
}
