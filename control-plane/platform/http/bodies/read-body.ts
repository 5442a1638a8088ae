import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem.ts';
import { type JsonLimits, requireJsonSize, sizeOfJson } from './json-size.ts';

const bodyBytesMax = 1_048_576;
const depthMax = 64;
/** No body of the API that is valid comes near: the largest are lists of 1000 ids, and flows of 20 steps. */
const jsonLimits: JsonLimits = { values: 20_000, names: 5000 };
/** How long, and how much, a refused body is read on before the connection is closed. */
const lingerMs = 5000;
const lingerBytesMax = 32 * 1_048_576;

/** JSON as sent, and cleaned of what PostgreSQL cannot store; `undefined` for an empty body. */
export type BodyJson = { sent: unknown; json: unknown };

/**
 * A request body. `parse` parses it once, and throws `unsupported_media_type`, `payload_too_large` or `invalid_json`.
 */
export type Body = { bytes: Buffer; parse(): BodyJson };

/** Reads a JSON body, like `readBytes`. Throws `payload_too_large` or `request_timeout`. */
export async function readBody(
  request: IncomingMessage,
  bytesMax = bodyBytesMax,
  onBytes?: (bytes: number) => void,
  limits: JsonLimits = jsonLimits,
): Promise<Body> {
  const bytes = await readBytes(request, bytesMax, onBytes);
  let parsed: BodyJson | null = null;
  return {
    bytes,
    parse: () => {
      parsed ??= parseBytes(request, bytes, limits);
      return parsed;
    },
  };
}

function parseBytes({ headers }: IncomingMessage, bytes: Buffer, limits: JsonLimits): BodyJson {
  if (bytes.length === 0) return { sent: undefined, json: undefined };
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' || (headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new Problem('unsupported_media_type');
  requireJsonSize(sizeOfJson(bytes, limits), limits, 'payload_too_large');
  const sent = decodeJson(bytes);
  return { sent, json: clean(sent, 1) };
}

/**
 * All bytes of the body. Throws `payload_too_large` before it buffers more than `bytesMax`. `onBytes` gets the size of
 * each chunk, and may throw to refuse it. The rest of a refused body is discarded.
 */
export async function readBytes(
  request: IncomingMessage,
  bytesMax = bodyBytesMax,
  onBytes: (bytes: number) => void = () => {},
): Promise<Buffer> {
  const tooLarge = () => new Problem('payload_too_large', { detail: `the body is larger than ${bytesMax} bytes` });
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge();
    // Returning early would destroy the connection, and with it the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > bytesMax) throw tooLarge();
      onBytes(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    // The client is gone, so nobody reads this; but an ECONNRESET must not be logged as a database failure.
    if (!(error instanceof Problem)) throw new Problem('request_timeout');
    discardRest(request);
    throw error;
  }
  return Buffer.concat(chunks);
}

/**
 * Reads on what is left of a body, for a bounded time and size, while its refusal is sent: closing a connection with
 * unread bytes resets it, and the sender would never see the answer (RFC 9112 §9.6).
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  let left = lingerBytesMax;
  const close = (): void => void request.socket.destroy();
  const timer = setTimeout(close, lingerMs);
  request.once('close', () => clearTimeout(timer));
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) close();
  });
  request.resume();
}

/** Parses JSON in UTF-8 and cleans it of what PostgreSQL cannot store. Throws `invalid_json`. */
export function parseJson(bytes: Buffer): unknown {
  return clean(decodeJson(bytes), 1);
}

/** Parses JSON in UTF-8 without cleaning it. Throws `invalid_json`. */
export function decodeJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Problem('invalid_json');
  }
}

/** Replaces NUL, which PostgreSQL refuses, and lone surrogates, which UTF-8 cannot encode, by U+FFFD. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > depthMax)
    throw new Problem('invalid_json', { detail: `the body is nested more than ${depthMax} levels deep` });
  if (Array.isArray(value)) return value.map(item => clean(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [cleanText(name), clean(item, depth + 1)]));
}
