import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

export const bodyBytesMax = 1_048_576;
const depthMax = 64;

/** Body of a request: its bytes and the JSON in them, cleaned of what no table can hold. `undefined` when there is none. */
export type Body = { bytes: Buffer; json: unknown };

export async function readBody(request: IncomingMessage): Promise<Body> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return { bytes, json: undefined };
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' || (request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new Problem('unsupported_media_type');
  }
  return { bytes, json: parseJson(bytes) };
}

/** All bytes of the body; throws `payload_too_large` before it holds more than that. `hold` hears of bytes as they come, and may refuse them. */
export async function readBytes(
  request: IncomingMessage,
  bytesMax = bodyBytesMax,
  hold: (bytes: number) => void = () => {},
): Promise<Buffer> {
  const tooLarge = () =>
    new Problem('payload_too_large', {
      detail: `the body may have at most ${bytesMax} bytes`,
      headers: { connection: 'close' },
    });
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > bytesMax) throw tooLarge();
      hold(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    // Nobody reads the answer to a body that broke off, but the log must not blame the database for an ECONNRESET.
    throw error instanceof Problem ? error : new Problem('request_timeout');
  }
  return Buffer.concat(chunks);
}

/** JSON in UTF-8, cleaned of what no table can hold. Throws `invalid_json`. */
export function parseJson(bytes: Buffer): unknown {
  return clean(decodeJson(bytes), 1);
}

/** The JSON in UTF-8 bytes as it is, not cleaned. */
export function decodeJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Problem('invalid_json');
  }
}

/** NUL and lone surrogates become U+FFFD: PostgreSQL refuses the first, and the second have no UTF-8. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > depthMax)
    throw new Problem('invalid_json', { detail: `the body is nested deeper than ${depthMax} levels` });
  if (Array.isArray(value)) return value.map(item => clean(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [cleanText(name), clean(item, depth + 1)]));
}
