import type { ResponseHeaders } from './response-headers.ts';

/** What a status line begins with. */
export const protocol = 'HTTP/';
const contentLengthMax = 2 ** 64;
const statusLine = /^HTTP\/(?:1\.1|1\.0|2\.0|0\.9) (\d{3})(?: [^\r]*)?$/;
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

export type ResponseHead = { statusCode: number; headers: ResponseHeaders };

/** The status code in a status line. Throws ParseError. */
export function statusOf(line: string): number {
  const code = statusLine.exec(line)?.[1];
  if (code === undefined) throw new ParseError(faultOfStatus(line));
  return Number(code);
}

/** Name and value of a header line; the name in lower case. Throws ParseError. */
export function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  const [name, value] = [line.slice(0, Math.max(0, colon)), line.slice(colon + 1)];
  if (!isField(name, value)) throw new ParseError('HPE_INVALID_HEADER_TOKEN');
  return [name.toLowerCase(), withoutBlanks(value)];
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
  return /^HTTP\/(?:1\.1|1\.0|2\.0|0\.9) /.test(line) ? 'HPE_INVALID_STATUS' : 'HPE_INVALID_VERSION';
}

/** Bytes of the body by its headers. Both a length and a transfer coding is how one response is passed off as two. */
export function lengthOf(headers: ResponseHeaders): number | 'chunked' | 'until-close' {
  const [lengths, codings] = [headers.all('content-length'), headers.all('transfer-encoding')];
  const [length] = lengths;
  if (lengths.length > 1 || (lengths.length > 0 && codings.length > 0))
    throw new ParseError('HPE_UNEXPECTED_CONTENT_LENGTH');
  if (codings.includes('')) throw new ParseError('HPE_INVALID_TRANSFER_ENCODING');
  if (codings.length > 0) {
    return itemsOf(codings).at(-1) === 'chunked' ? 'chunked' : 'until-close';
  }
  if (length === undefined) return 'until-close';
  if (!/^\d+$/.test(length) || Number(length) >= contentLengthMax) throw new ParseError('HPE_INVALID_CONTENT_LENGTH');
  return Number(length);
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
