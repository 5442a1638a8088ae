import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createInflate, createInflateRaw, createUnzip, createZstdDecompress } from 'node:zlib';

export const wireBytesMax = 10_485_760;
export const textBytesMax = 1_048_576;

/** A body read to its end: bytes as they came, and the text assertions look at. */
export type ReadBody = { bytes: number; text: string; truncated: boolean };

/** A body that passes a limit, breaks its coding or breaks off. */
export class BodyError extends Error {
  override name = 'BodyError';
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Reads one body. Nothing is decoded or kept beyond the first MiB of decoded bytes, whatever the sender packs in. */
export class BodyReader {
  readonly #message: IncomingMessage;
  readonly #wantsText: boolean;
  readonly #kept: Buffer[] = [];
  #bytes = 0;
  #keptBytes = 0;
  #decoder: Transform | null = null;
  #truncated = false;

  constructor(message: IncomingMessage, wantsText: boolean) {
    this.#message = message;
    this.#wantsText = wantsText;
  }

  read(): Promise<ReadBody> {
    const { promise, resolve, reject } = Promise.withResolvers<ReadBody>();
    const coding = this.#message.headers['content-encoding'];
    if (this.#wantsText && coding !== undefined) this.#decodeAs(coding, resolve, reject);
    this.#message.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes > wireBytesMax) reject(new BodyError('EBODYTOOLARGE'));
      else if (this.#decoder !== null) this.#feed(this.#decoder, chunk);
      else this.#keep(chunk);
    });
    this.#message.on('error', error => reject(new BodyError('code' in error ? String(error.code) : 'ECONNRESET')));
    this.#message.on('end', () => {
      if (this.#decoder === null) resolve(this.#done());
      else if (!this.#decoder.destroyed) this.#decoder.end();
    });
    return promise;
  }

  #decodeAs(coding: string, resolve: (body: ReadBody) => void, reject: (error: Error) => void): void {
    this.#message.once('data', (first: Buffer) => {
      const decoder = makeDecoder(coding.trim().toLowerCase(), first);
      if (decoder === null) return;
      this.#decoder = decoder;
      decoder.on('data', (chunk: Buffer) => {
        this.#keep(chunk);
        if (this.#truncated) decoder.destroy();
      });
      decoder.on('error', error => reject(new BodyError('code' in error ? String(error.code) : 'Z_DATA_ERROR')));
      decoder.on('close', () => {
        if (this.#message.readableEnded) resolve(this.#done());
        else this.#message.once('end', () => resolve(this.#done()));
      });
    });
  }

  #feed(decoder: Transform, chunk: Buffer): void {
    if (decoder.destroyed || decoder.write(chunk)) return;
    this.#message.pause();
    const goOn = () => this.#message.resume();
    decoder.once('drain', goOn);
    decoder.once('close', goOn);
  }

  #keep(chunk: Buffer): void {
    const room = textBytesMax - this.#keptBytes;
    if (chunk.length > room) this.#truncated = true;
    if (!this.#wantsText || room <= 0) {
      this.#keptBytes += chunk.length;
      return;
    }
    const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#kept.push(part);
    this.#keptBytes += part.length;
  }

  #done(): ReadBody {
    const [first, ...rest] = this.#kept;
    const bytes = first === undefined || rest.length === 0 ? (first ?? Buffer.alloc(0)) : Buffer.concat(this.#kept);
    const text = this.#wantsText ? decodeText(bytes, this.#message.headers['content-type']) : '';
    return { bytes: this.#bytes, text, truncated: this.#truncated };
  }
}

/** "deflate" is zlib by the standard and raw by some servers: the first byte tells. */
function makeDecoder(coding: string, first: Buffer): Transform | null {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createUnzip();
    case 'deflate':
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress();
    default:
      return null;
  }
}

/** Text by the declared charset; UTF-8 when none or an unknown one is declared. */
export function decodeText(bytes: Buffer, contentType: string | undefined): string {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8') {
    try {
      return new TextDecoder(charset).decode(bytes);
    } catch {
      // An unknown label: UTF-8 like the rest.
    }
  }
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}
