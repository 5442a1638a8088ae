import type { IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { Problem } from '../problem.ts';
import { type BodyBudget, type BodyOwner, type ReservedBody, reserveBody } from './body-budget.ts';
import { discardRest, readBytes } from './read-body.ts';

const wireBytesMax = 1_048_576;

const inflaters = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  // RFC 9110 means the zlib format; many clients send raw deflate.
  deflate: (bytes: Buffer) => (((bytes[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()),
};
type Encoding = keyof typeof inflaters;

/**
 * Reads a body, plain or compressed, and calls `work` with it. The limit applies while inflating, so a decompression
 * bomb costs no more than an honest body. Received bytes count against the budget until `work` is done; `unavailable`
 * is thrown beyond it.
 */
export async function withBody<Result>(
  request: IncomingMessage,
  budget: BodyBudget,
  owner: BodyOwner,
  work: (bytes: Buffer) => Promise<Result>,
): Promise<Result> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const isCompressed = Object.hasOwn(inflaters, encoding);
  if (encoding !== 'identity' && !isCompressed) throw new Problem('unsupported_media_type');
  const reserved = reserve(request, budget, owner);
  try {
    const { bodyBytesMax } = budget;
    const bytes = await readBytes(
      request,
      isCompressed ? Math.min(wireBytesMax, bodyBytesMax) : bodyBytesMax,
      reserved.take,
    );
    return await work(
      isCompressed ? await decompress(bytes, encoding as Encoding, bodyBytesMax, reserved.take) : bytes,
    );
  } finally {
    reserved.release();
  }
}

function reserve(request: IncomingMessage, budget: BodyBudget, owner: BodyOwner): ReservedBody {
  try {
    return reserveBody(budget, owner);
  } catch (error) {
    discardRest(request);
    throw error;
  }
}

async function decompress(
  bytes: Buffer,
  encoding: Encoding,
  bytesMax: number,
  take: (bytes: number) => void,
): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  const inflater = inflaters[encoding](bytes);
  inflater.end(bytes);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of inflater as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > bytesMax)
        throw new Problem('payload_too_large', { detail: `the decompressed body is larger than ${bytesMax} bytes` });
      take(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof Problem
      ? error
      : new Problem('invalid_json', { detail: `the body is not valid ${encoding}` });
  }
  return Buffer.concat(chunks);
}
