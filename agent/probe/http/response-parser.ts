import type { ResponseWarning } from '#shared/check-result.ts';
import {
  fieldOf,
  isUpgrade,
  lengthOf,
  lengthOfNone,
  oddFieldOf,
  ParseError,
  protocol,
  type ResponseHead,
  statusOf,
  versionOf,
} from './response-head.ts';
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
 * Reads the one response of a connection, in whatever chunks it arrives, and warns of what Node would refuse but
 * browsers read. Our own because a request of node:http takes 0.14 ms more per check (docs/decisions/probing.md).
 */
export class ResponseParser {
  readonly #sink: ResponseSink;
  readonly #hasNoBody: boolean;
  #state: State = 'status';
  /** The beginning of a line whose end has not come yet. */
  #partial = '';
  #headBytes = 0;
  #head: ResponseHead = { statusCode: 0, version: '1.1', headers: new ResponseHeaders(), hasOddCoding: false };
  /** What is left of the body or its chunk. */
  #left = 0;
  /** Whether a line may continue the field before it. */
  #isFoldable = false;
  #warnings: ResponseWarning[] = [];
  readonly #warn = (warning: ResponseWarning): void => {
    if (!this.#warnings.includes(warning)) this.#warnings.push(warning);
  };

  /** `hasNoBody`: whatever the headers say, as after HEAD. */
  constructor(hasNoBody: boolean, sink: ResponseSink) {
    this.#hasNoBody = hasNoBody;
    this.#sink = sink;
  }

  /** Whether the response is complete: what comes after it is ignored. */
  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** What was read so far although it is not as the standard has it. */
  get warnings(): readonly ResponseWarning[] {
    return this.#warnings;
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
    const isAfterReturn = this.#partial !== '';
    const [first] = bytes;
    if (first === cr && !isAfterReturn) this.#partial = '\r';
    else if (first === lf) {
      if (!isAfterReturn) this.#warn('line_ending');
      this.#partial = '';
      this.#state = 'chunk-size';
    } else throw new ParseError('HPE_STRICT');
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
    if (!hasReturn) this.#warn('line_ending');
    if (this.#state === 'status') return this.#takeStatus(line);
    if (this.#state === 'chunk-size') return this.#takeChunkSize(line);
    if (line !== '') return this.#takeField(line);
    if (this.#state === 'trailers') this.#end();
    else this.#endHead();
  }

  #takeStatus(line: string): void {
    const text = line.charCodeAt(0) === cr ? line.replace(/^\r+/, '') : line;
    // Empty lines before it are skipped.
    if (text === '') return;
    const statusCode = statusOf(text, this.#warn);
    this.#head = { statusCode, version: versionOf(text), headers: new ResponseHeaders(), hasOddCoding: false };
    this.#isFoldable = false;
    this.#state = 'headers';
  }

  #takeField(line: string): void {
    const field = fieldOf(line);
    const isTrailer = this.#state === 'trailers';
    if (field === null) return this.#takeOddField(line, isTrailer);
    this.#isFoldable = !isTrailer;
    if (!isTrailer) this.#head.headers.add(field[0], field[1]);
  }

  #takeOddField(line: string, isTrailer: boolean): void {
    const field = oddFieldOf(line, this.#warn);
    const continues = field?.name === null;
    if (!continues) this.#isFoldable = field !== null && !isTrailer;
    if (field === null || !this.#isFoldable) return;
    const { headers } = this.#head;
    if (field.name !== null) headers.add(field.name, field.value);
    const name = field.name ?? headers.extend(field.value);
    if (name === 'transfer-encoding') this.#head.hasOddCoding = true;
  }

  #endHead(): void {
    const { statusCode } = this.#head;
    if (isUpgrade(this.#head)) throw new ParseError('HPE_UNEXPECTED_UPGRADE');
    const isInterim = statusCode >= 100 && statusCode < 200;
    const isEmpty = this.#hasNoBody || isInterim || statusCode === 204 || statusCode === 304;
    const length = isEmpty ? lengthOfNone(this.#head, this.#warn) : lengthOf(this.#head, this.#warn);
    if (isInterim && statusCode !== 101) {
      this.#state = 'status';
      return;
    }
    this.#left = typeof length === 'number' ? length : 0;
    this.#state = length === 'chunked' ? 'chunk-size' : length === 'until-close' ? 'until-close' : 'fixed';
    this.#sink.onHead(this.#head);
    if (length === 0) this.#end();
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
