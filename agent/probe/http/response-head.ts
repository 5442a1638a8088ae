import type { ResponseWarning } from '#shared/check-result.ts';
import type { ResponseHeaders } from './response-headers.ts';

/** What a status line begins with. */
export const protocol = 'HTTP/';
const contentLengthMax = 2 ** 64;
const statusLine = /^HTTP\/1\.[01] (\d{3})(?: [^\r]*)?$/;
const oddStatusLine = /^HTTP\/(\d\.\d) +(\d{3})(?: .*)?$/s;
const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The response is not valid HTTP/1, or ended early. `code` is like one of Node's. */
export class ParseError extends Error {
  override name = 'ParseError';
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** `hasOddCoding`: readers may disagree about what the transfer coding is. */
export type ResponseHead = {
  statusCode: number;
  version: '1.0' | '1.1';
  headers: ResponseHeaders;
  hasOddCoding: boolean;
};

/** Takes what is read although it is not as the standard has it. */
export type Warn = (warning: ResponseWarning) => void;

/** What a status line says, or 1.1 if it says nothing that there is. */
export function versionOf(line: string): ResponseHead['version'] {
  return line.startsWith('HTTP/1.0') ? '1.0' : '1.1';
}

/** The status code in a status line. Throws ParseError. */
export function statusOf(line: string, warn: Warn): number {
  const code = statusLine.exec(line)?.[1];
  return code === undefined ? oddStatusOf(line, warn) : Number(code);
}

function oddStatusOf(line: string, warn: Warn): number {
  const [, version = '', code] = oddStatusLine.exec(line) ?? [];
  if (code === undefined) throw new ParseError(faultOfStatus(line));
  warn(version === '1.0' || version === '1.1' ? 'status_line' : 'http_version');
  return Number(code);
}

/** Name and value of a header line; the name in lower case. Null if it is not as the standard has it. */
export function fieldOf(line: string): [name: string, value: string] | null {
  const colon = line.indexOf(':');
  const [name, value] = [line.slice(0, Math.max(0, colon)), line.slice(colon + 1)];
  return isField(name, value) ? [name.toLowerCase(), withoutBlanks(value)] : null;
}

/**
 * The same of another line, read as browsers read it: `name` is null if it continues the line before, and all is null
 * if the line has no name. Throws ParseError for a NUL, which no browser lets pass.
 */
export function oddFieldOf(line: string, warn: Warn): { name: string | null; value: string } | null {
  if (line.includes('\0')) throw new ParseError('HPE_INVALID_HEADER_TOKEN');
  if (!fieldValue.test(line)) warn('control_character');
  const text = line.replaceAll('\r', ' ');
  if (isBlank(text.charCodeAt(0))) {
    warn('folded_header');
    return { name: null, value: withoutBlanks(text) };
  }
  const colon = text.indexOf(':');
  const name = withoutBlanks(text.slice(0, Math.max(0, colon)));
  if (!fieldName.test(name)) {
    warn('invalid_header_line');
    return null;
  }
  if (name.length < colon) warn('blank_before_colon');
  return { name: name.toLowerCase(), value: withoutBlanks(text.slice(colon + 1)) };
}

/** Whether this can be a header. */
export function isField(name: string, value: string): boolean {
  return fieldName.test(name) && fieldValue.test(value);
}

/** Not `trim`, for which the second byte of "à" is a blank. */
function withoutBlanks(value: string): string {
  let [start, end] = [0, value.length];
  while (start < end && isBlank(value.charCodeAt(start))) start++;
  while (start < end && isBlank(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function faultOfStatus(line: string): string {
  if (!line.startsWith('HTTP/')) return 'HPE_INVALID_CONSTANT';
  return /^HTTP\/\d\.\d /.test(line) ? 'HPE_INVALID_STATUS' : 'HPE_INVALID_VERSION';
}

/**
 * Bytes of the body by its headers. Throws ParseError for both a length and a transfer coding: that is how one response
 * is passed off as two. Equal lengths are one (RFC 9110 §8.6).
 */
export function lengthOf(head: ResponseHead, warn: Warn): number | 'chunked' | 'until-close' {
  const { headers, hasOddCoding } = head;
  const [lengths, codings] = [headers.all('content-length'), headers.all('transfer-encoding')];
  if (lengths.length > 0 && codings.length > 0) throw new ParseError('HPE_UNEXPECTED_CONTENT_LENGTH');
  if (hasOddCoding || codings.includes('')) throw new ParseError('HPE_INVALID_TRANSFER_ENCODING');
  if (codings.length > 0) {
    if (itemsOf(codings).at(-1) === 'chunked') return 'chunked';
    warn('transfer_encoding');
    return 'until-close';
  }
  return lengths.length === 0 ? 'until-close' : oneOf(lengths, warn);
}

/** Where there is no body nobody can be wrong about its end. */
export function lengthOfNone(head: ResponseHead, warn: Warn): 0 {
  try {
    lengthOf(head, warn);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    warn('length');
  }
  return 0;
}

function oneOf(lengths: readonly string[], warn: Warn): number {
  const [length = '', ...others] = lengths.length === 1 && isLength(lengths[0]) ? lengths : itemsOf(lengths);
  if (!isLength(length)) throw new ParseError('HPE_INVALID_CONTENT_LENGTH');
  if (others.some(other => other !== length)) throw new ParseError('HPE_UNEXPECTED_CONTENT_LENGTH');
  if (others.length > 0) warn('repeated_length');
  return Number(length);
}

function isLength(text = ''): boolean {
  return /^\d+$/.test(text) && Number(text) < contentLengthMax;
}

/** Whether the target speaks another protocol from here on. */
export function isUpgrade({ statusCode, headers }: ResponseHead): boolean {
  if (statusCode !== 101 || !headers.get('upgrade')) return false;
  return itemsOf(headers.all('connection')).includes('upgrade');
}

/** The items of a list, in lower case. */
function itemsOf(values: readonly string[]): string[] {
  return values.flatMap(value => value.split(',')).map(item => withoutBlanks(item).toLowerCase());
}
