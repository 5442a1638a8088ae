import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { Problem } from './problem.ts';
import { readBytes } from './read-body.ts';

/** Bytes of bodies that may be in memory at once, over all requests. */
export type BodyBudget = { readonly bytesMax: number; bytes: number };

const wireBytesMax = 1_048_576;

type Inflate = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const inflaters: Readonly<Record<string, Inflate>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  // RFC 9110 means the zlib format; many send the bare stream.
  deflate: (bytes, options) => promisify(((bytes[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw)(bytes, options),
};

/**
 * A body, plain or compressed, of at most `bytesMax` bytes: the limit holds while inflating, so that a bomb costs no more
 * than an honest body. What is held counts against the budget until `work` is done; beyond it: `unavailable`.
 */
export async function withBody<Result>(
  request: IncomingMessage,
  bytesMax: number,
  budget: BodyBudget,
  work: (bytes: Buffer) => Promise<Result>,
): Promise<Result> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity' && !Object.hasOwn(inflaters, encoding)) throw new Problem('unsupported_media_type');
  // Nobody knows how much a compressed or chunked body brings: room for the most is kept until it is read.
  const announced = Number(request.headers['content-length'] ?? bytesMax);
  const reserved = encoding === 'identity' ? Math.min(bytesMax, announced) : bytesMax;
  if (budget.bytes + reserved > budget.bytesMax)
    throw new Problem('unavailable', {
      retryAfter: 1,
      detail: 'too many bodies are being read',
      headers: { connection: 'close' },
    });
  budget.bytes += reserved;
  try {
    const bytes = await readBytes(request, encoding === 'identity' ? bytesMax : wireBytesMax);
    return await work(encoding === 'identity' ? bytes : await unpack(bytes, encoding, bytesMax));
  } finally {
    budget.bytes -= reserved;
  }
}

async function unpack(bytes: Buffer, encoding: string, bytesMax: number): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  try {
    return (await inflaters[encoding]?.(bytes, { maxOutputLength: bytesMax })) ?? bytes;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new Problem('payload_too_large', { detail: `the body may have at most ${bytesMax} bytes when inflated` });
    throw new Problem('invalid_json', { detail: `the body is not valid ${encoding}` });
  }
}
