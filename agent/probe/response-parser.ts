import { fieldOf, isUpgrade, lengthOf, ParseError, protocol, type ResponseHead, statusOf } from './response-head.ts';
import { ResponseHeaders } from './response-headers.ts';

/** Largest header section accepted, in bytes: all lines before and after the body, names and values alone. */
export const headerBytesMax = 65_536;
/** A colon, a blank and the end of the line. */
const aroundField = 4;
const chunkLineMax = 16_384;

/** What a response consists of, in order. Nothing is called after `onEnd`. */
export type ResponseSink = {
  onHead(head: ResponseHead): void;
  onBody(bytes: Buffer): void;
  /** A chunk begins, with a line of this many bytes. */
  onChunk(lineBytes: number): void;
  onEnd(): void;
};

type State =
  | 'status'
  | 'headers'
  | 'fixed'
  | 'until-close'
  | 'chunk-size'
  | 'chunk'
  | 'chunk-end'
  | 'trailers'
  | 'done';

const [lf, cr] = [0x0a, 0x0d];
const chunkLine = /^0*([0-9a-fA-F]{1,16})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;

/**
 * Reads the one response of a connection, in whatever chunks it arrives, as strictly as Node does. Our own because a
 * request of node:http takes 0.14 ms more per check (docs/decisions.md).
 */
export class ResponseParser {
  readonly #sink: ResponseSink;
  readonly #hasNoBody: boolean;
  #state: State = 'status';
  /** The beginning of a line whose end has not come yet. */
  #partial = '';
  #headBytes = 0;
  #head: ResponseHead = { statusCode: 0, headers: new ResponseHeaders() };
  /** What is left of the body or its chunk. */
  #left = 0;

  /** `hasNoBody`: whatever the headers say, as after HEAD. */
  constructor(hasNoBody: boolean, sink: ResponseSink) {
    this.#hasNoBody = hasNoBody;
    this.#sink = sink;
  }

  /** Whether the response is complete: what comes after it is ignored. */
  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Throws ParseError; then nothing more may be fed. */
  feed(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0 && !this.isDone) rest = this.#step(rest);
  }

  /** The target has closed the connection. Throws ParseError if the response is not complete. */
  close(): void {
    if (this.#state === 'until-close') this.#end();
    else if (!this.isDone) throw new ParseError('ECONNRESET');
  }

  /** Takes the beginning of the bytes and returns the others. */
  #step(bytes: Buffer): Buffer {
    switch (this.#state) {
      case 'fixed':
      case 'chunk':
        return this.#takeBody(bytes);
      case 'until-close':
        this.#sink.onBody(bytes);
        return bytes.subarray(bytes.length);
      case 'chunk-end':
        return this.#takeChunkEnd(bytes);
      default:
        return this.#takeLines(bytes);
    }
  }

  #takeBody(bytes: Buffer): Buffer {
    const part = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= part.length;
    this.#sink.onBody(part);
    if (this.#left === 0 && !this.isDone) {
      if (this.#state === 'chunk') this.#state = 'chunk-end';
      else this.#end();
    }
    return bytes.subarray(part.length);
  }

  #takeChunkEnd(bytes: Buffer): Buffer {
    const expected = this.#partial === '' ? cr : lf;
    if (bytes[0] !== expected) throw new ParseError('HPE_STRICT');
    this.#partial = expected === cr ? '\r' : '';
    if (expected === lf) this.#state = 'chunk-size';
    return bytes.subarray(1);
  }

  /** Takes whole lines while the state is one of lines; the beginning of one is kept. */
  #takeLines(bytes: Buffer): Buffer {
    const taken = this.#endOfLines(bytes);
    if (taken === 0) return this.#keepPartial(bytes);
    const text = this.#partial + bytes.toString('latin1', 0, taken);
    const before = this.#partial.length;
    this.#partial = '';
    let start = 0;
    while (start < text.length && isOfLines(this.#state)) {
      const end = text.indexOf('\n', start);
      this.#takeLine(text, start, end);
      start = end + 1;
    }
    return bytes.subarray(start - before);
  }

  /** Most heads come in one piece and are made one string; else whole lines, of chunks one. 0 if none ends here. */
  #endOfLines(bytes: Buffer): number {
    const isHead = this.#state === 'status' || this.#state === 'headers';
    const headEnd = isHead ? bytes.indexOf('\r\n\r\n') : -1;
    if (headEnd >= 0) return headEnd + 4;
    return (isHead ? bytes.lastIndexOf(lf) : bytes.indexOf(lf)) + 1;
  }

  /** Appended without a look at what is there, since a target may send byte by byte. */
  #keepPartial(bytes: Buffer): Buffer {
    this.#bound(this.#partial.length + bytes.length);
    const wasShort = this.#partial.length < protocol.length;
    this.#partial += bytes.toString('latin1');
    // What is no HTTP at all is noticed at once, also if the target waits for us now.
    if (this.#state === 'status' && wasShort) {
      const start = this.#partial.slice(0, protocol.length).replace(/^\r+/, '');
      if (!protocol.startsWith(start)) throw new ParseError('HPE_INVALID_CONSTANT');
    }
    return bytes.subarray(bytes.length);
  }

  #bound(more: number): void {
    if (this.#state === 'chunk-size' && more > chunkLineMax) throw new ParseError('HPE_CHUNK_EXTENSIONS_OVERFLOW');
    if (this.#headBytes + more > headerBytesMax) throw new ParseError('HPE_HEADER_OVERFLOW');
  }

  #takeLine(text: string, start: number, end: number): void {
    this.#bound(end - start);
    if (this.#state !== 'chunk-size') this.#headBytes += Math.max(1, end + 1 - start - aroundField);
    const hasReturn = end > start && text.charCodeAt(end - 1) === cr;
    const line = text.slice(start, hasReturn ? end - 1 : end);
    if (this.#state === 'status') return this.#takeStatus(line, hasReturn);
    if (!hasReturn) throw new ParseError('HPE_CR_EXPECTED');
    if (this.#state === 'chunk-size') return this.#takeChunkSize(line);
    if (this.#state === 'trailers') return line === '' ? this.#end() : void fieldOf(line);
    if (line === '') return this.#endHead();
    const [name, value] = fieldOf(line);
    this.#head.headers.add(name, value);
  }

  #takeStatus(line: string, hasReturn: boolean): void {
    const text = line.charCodeAt(0) === cr ? line.replace(/^\r+/, '') : line;
    // Empty lines before it are skipped.
    if (text === '') return;
    const statusCode = statusOf(text);
    if (!hasReturn) throw new ParseError('HPE_CR_EXPECTED');
    this.#head = { statusCode, headers: new ResponseHeaders() };
    this.#state = 'headers';
  }

  #endHead(): void {
    const { statusCode, headers } = this.#head;
    if (isUpgrade(this.#head)) throw new ParseError('HPE_UNEXPECTED_UPGRADE');
    const length = lengthOf(headers);
    const isInterim = statusCode >= 100 && statusCode < 200;
    if (isInterim && statusCode !== 101) {
      this.#state = 'status';
      return;
    }
    const isEmpty = this.#hasNoBody || isInterim || statusCode === 204 || statusCode === 304;
    this.#left = typeof length === 'number' ? length : 0;
    this.#state = length === 'chunked' ? 'chunk-size' : length === 'until-close' ? 'until-close' : 'fixed';
    this.#sink.onHead(this.#head);
    if (isEmpty || length === 0) this.#end();
  }

  #takeChunkSize(line: string): void {
    const digits = chunkLine.exec(line)?.[1];
    if (digits === undefined) throw new ParseError('HPE_INVALID_CHUNK_SIZE');
    this.#left = Number.parseInt(digits, 16);
    this.#state = this.#left === 0 ? 'trailers' : 'chunk';
    this.#sink.onChunk(line.length);
  }

  #end(): void {
    if (this.isDone) return;
    this.#state = 'done';
    this.#sink.onEnd();
  }
}

function isOfLines(state: State): boolean {
  return state === 'status' || state === 'headers' || state === 'chunk-size' || state === 'trailers';
}
