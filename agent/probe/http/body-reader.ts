import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createInflate,
  createInflateRaw,
  createUnzip,
  createZstdDecompress,
} from 'node:zlib';
import { decodeText } from './charset.ts';
import { decodeFirstMember } from './gzip.ts';
import type { ResponseHeaders } from './response-headers.ts';

/** Largest body accepted, in bytes as sent. */
export const wireBytesMax = 10_485_760;
/** What a chunk counts beside its content, because taking one costs 2 µs (measured) however small it is. */
export const framingBytesMin = 64;
/** Part of a body that assertions see, in decoded bytes. */
export const textBytesMax = 1_048_576;
/** What a stored chunk takes beside its bytes: a body may come in chunks of one byte. */
const chunkBytes = 256;
const codingsMax = 3;
/** 8 MiB, as RFC 9659 asks of those who read the content coding. */
const zstdWindowLogMax = 23;

/** A body read to its end: `bytes` as sent, and the decoded text for assertions, `truncated` after the first MiB. */
export type ReadBody = { bytes: number; text: string; truncated: boolean };

/**
 * The body is too large (`EBODYTOOLARGE`), or would be with its chunks (`ECHUNKS`), is not encoded as declared
 * (`ECODING`, in `coding`), or the agent has no memory left for it (`ENOROOM`).
 */
export class BodyError extends Error {
  override name = 'BodyError';
  readonly code: 'EBODYTOOLARGE' | 'ECHUNKS' | 'ECODING' | 'ENOROOM';
  readonly coding: string | null;
  constructor(code: BodyError['code'], coding: string | null = null) {
    super(code);
    this.code = code;
    this.coding = coding;
  }
}

/** Takes memory for this many more bytes; false if there is none. */
export type TakeBytes = (bytes: number) => boolean;

/** Holds back what arrives while it cannot be decoded as fast. What is on its way may still come. */
export type Flow = { pause(): void; resume(): void };

/** Reads one body. Decodes and stores at most one MiB, so that a decompression bomb costs no more than that. */
export class BodyReader {
  readonly #headers: ResponseHeaders;
  readonly #takeBytes: TakeBytes | null;
  readonly #flow: Flow;
  readonly #done = Promise.withResolvers<ReadBody>();
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #framingBytes = 0;
  #decodedBytes = 0;
  /** In the order in which they are undone, until the first chunk: the decoders depend on it. */
  #codings: readonly string[] = [];
  #decoder: Transform | null = null;
  #decoders: readonly Transform[] = [];
  #isHeldBack = false;
  #truncated = false;
  #isGzip = false;
  #failed = false;
  #ended = false;
  #stopped = false;
  #onEnd: (() => void) | null = null;
  /** What a gzip body consists of, until its text is complete; null if there is no memory for it. */
  #wire: Buffer[] | null = [];

  /** With `takeBytes` the body is read as text, in memory taken from there; otherwise its bytes are only counted. */
  constructor(headers: ResponseHeaders, takeBytes: TakeBytes | null, flow: Flow) {
    this.#headers = headers;
    this.#takeBytes = takeBytes;
    this.#flow = flow;
    if (takeBytes !== null) this.#codings = codingsOf(headers.all('content-encoding').join());
  }

  /** Bytes received so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Rejects with BodyError. */
  get body(): Promise<ReadBody> {
    return this.#done.promise;
  }

  push(received: Buffer): void {
    if (this.#stopped) return;
    // A view of a few bytes would keep all that was read with them, such as what came between chunks.
    const chunk = received.length * 2 < received.buffer.byteLength ? Buffer.from(received) : received;
    if (this.#codings.length > 0) this.#startDecoding(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > wireBytesMax) this.#done.reject(new BodyError('EBODYTOOLARGE'));
    else if (this.#decoder !== null) this.#feed(this.#decoder, chunk);
    else if (!this.#append(chunk)) this.#done.reject(new BodyError('ENOROOM'));
  }

  /** A chunk begins, with a line of this many bytes. */
  countChunk(lineBytes: number): void {
    this.#framingBytes += Math.max(framingBytesMin, lineBytes);
    if (this.#bytes + this.#framingBytes > wireBytesMax) this.#done.reject(new BodyError('ECHUNKS'));
  }

  /** The body is complete. */
  end(): void {
    this.#ended = true;
    if (this.#decoder === null) this.#done.resolve(this.#finish());
    else if (!this.#decoder.destroyed) this.#decoder.end();
    this.#onEnd?.();
  }

  /** Nobody waits for the body any more: what was received is not decoded to its end. */
  stop(): void {
    this.#stopped = true;
    for (const decoder of this.#decoders) decoder.destroy();
  }

  #startDecoding(first: Buffer): void {
    const codings = this.#codings;
    this.#codings = [];
    const decoders = makeDecoders(codings, first);
    const [head, last] = [decoders?.at(0), decoders?.at(-1)];
    if (decoders === null || head === undefined || last === undefined) return;
    this.#decoder = head;
    this.#decoders = decoders;
    const resume = () => {
      this.#isHeldBack = false;
      this.#flow.resume();
    };
    head.on('drain', resume);
    head.on('close', resume);
    this.#isGzip = codings.length === 1 && isGzip(codings[0]);
    for (const [index, decoder] of decoders.entries()) {
      const next = decoders[index + 1];
      if (next !== undefined) decoder.pipe(next);
      decoder.on('error', () => this.#onDecodeError(codings[index] ?? ''));
    }
    last.on('data', (chunk: Buffer) => {
      if (!this.#append(chunk)) this.#done.reject(new BodyError('ENOROOM'));
      if (this.#truncated) for (const decoder of decoders) decoder.destroy();
    });
    last.on('close', () => {
      if (!this.#failed) this.#atEnd(() => this.#done.resolve(this.#finish()));
    });
  }

  /** Servers may send more after the end of a gzip member, which browsers ignore and zlib takes for a broken member. */
  #onDecodeError(coding: string): void {
    this.#failed = true;
    const fail = () => this.#done.reject(new BodyError('ECODING', coding));
    if (!this.#isGzip || this.#wire === null) return fail();
    this.#atEnd(() => {
      const member = decodeFirstMember(Buffer.concat(this.#wire ?? []), textBytesMax);
      if (member === null) return fail();
      this.#chunks.splice(0, this.#chunks.length, member);
      this.#done.resolve(this.#finish());
    });
  }

  #atEnd(act: () => void): void {
    if (this.#ended) act();
    else this.#onEnd = act;
  }

  #feed(decoder: Transform, chunk: Buffer): void {
    if (this.#isGzip && !this.#truncated) this.#keepWire(chunk);
    if (decoder.destroyed || decoder.write(chunk) || this.#isHeldBack) return;
    this.#isHeldBack = true;
    this.#flow.pause();
  }

  #keepWire(chunk: Buffer): void {
    if (this.#takeBytes?.(chunk.length + chunkBytes)) this.#wire?.push(chunk);
    else this.#wire = null;
  }

  /** False if there is no memory for the chunk. */
  #append(chunk: Buffer): boolean {
    const capacity = textBytesMax - this.#decodedBytes;
    this.#decodedBytes += chunk.length;
    if (chunk.length > capacity) this.#truncated = true;
    if (this.#takeBytes === null || capacity <= 0) return true;
    const part = chunk.length > capacity ? chunk.subarray(0, capacity) : chunk;
    if (!this.#takeBytes(part.length + chunkBytes)) return false;
    this.#chunks.push(part);
    return true;
  }

  #finish(): ReadBody {
    const [first, ...rest] = this.#chunks;
    const bytes = first === undefined || rest.length === 0 ? (first ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks);
    const text = this.#takeBytes !== null ? decodeText(bytes, this.#headers.get('content-type')) : '';
    return { bytes: this.#bytes, text, truncated: this.#truncated };
  }
}

/** The codings of a body in the order in which they are undone. */
function codingsOf(header: string): string[] {
  const names = header.split(',').map(name => name.trim().toLowerCase());
  return names.filter(name => name !== '' && name !== 'identity').toReversed();
}

/** Null if a coding is unknown or there are too many: then the body is read as it is. */
function makeDecoders(codings: readonly string[], first: Buffer): Transform[] | null {
  if (codings.length === 0 || codings.length > codingsMax) return null;
  const decoders = codings.flatMap((coding, index) => makeDecoder(coding, index === 0 ? first : null) ?? []);
  return decoders.length === codings.length ? decoders : null;
}

/** "deflate" is zlib by the standard but raw in some servers: the first byte decides. */
function makeDecoder(coding: string, first: Buffer | null): Transform | null {
  if (isGzip(coding)) return createUnzip();
  switch (coding) {
    case 'deflate':
      return first === null || ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax } });
    default:
      return null;
  }
}

function isGzip(coding: string | undefined): boolean {
  return coding === 'gzip' || coding === 'x-gzip';
}
