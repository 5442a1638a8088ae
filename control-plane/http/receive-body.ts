import type { IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { Problem } from './problem.ts';
import { discardRest, readBytes } from './read-body.ts';

/** The memory budget for bodies of one kind of caller while they are read and handled. Shared by all their requests. */
export type BodyBudget = {
  /** Most bytes of one body. */
  readonly bodyBytesMax: number;
  /** Most bytes of all bodies at once. */
  readonly bytesMax: number;
  /** Most bodies of one caller at once. */
  readonly perCallerMax: number;
  bytes: number;
  readonly callers: Map<string, number>;
  /** Bytes of each share that has any. */
  readonly shares: Map<string, number>;
};

/** Whose body it is: requests are limited by `caller`, bytes by `share`. */
export type BodyOwner = { caller: string; share: string };

export function createBodyBudget(limits: Pick<BodyBudget, 'bodyBytesMax' | 'bytesMax' | 'perCallerMax'>): BodyBudget {
  return { ...limits, bytes: 0, callers: new Map(), shares: new Map() };
}

/**
 * True if a share that holds `held` bytes may take more: at most as much as is free after it. However many shares take
 * all they can, another one of the same size still fits.
 */
export function mayTake(held: number, more: number, budget: Pick<BodyBudget, 'bytes' | 'bytesMax'>): boolean {
  return held + more <= budget.bytesMax - budget.bytes - more;
}

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
 * is thrown beyond it. A Content-Length alone counts nothing, or callers could exhaust the budget without sending.
 */
export async function withBody<Result>(
  request: IncomingMessage,
  budget: BodyBudget,
  { caller, share }: BodyOwner,
  work: (bytes: Buffer) => Promise<Result>,
): Promise<Result> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const isCompressed = Object.hasOwn(inflaters, encoding);
  if (encoding !== 'identity' && !isCompressed) throw new Problem('unsupported_media_type');
  const open = budget.callers.get(caller) ?? 0;
  if (open >= budget.perCallerMax) {
    discardRest(request);
    throw new Problem('rate_limited', { retryAfter: 1, detail: 'too many of your requests are open at once' });
  }
  let reserved = 0;
  const reserve = (bytes: number): void => {
    const held = budget.shares.get(share) ?? 0;
    if (!mayTake(held, bytes, budget))
      throw new Problem('unavailable', { retryAfter: 1, detail: 'too many requests are being read at once' });
    budget.bytes += bytes;
    budget.shares.set(share, held + bytes);
    reserved += bytes;
  };
  budget.callers.set(caller, open + 1);
  try {
    const { bodyBytesMax } = budget;
    const bytes = await readBytes(request, isCompressed ? Math.min(wireBytesMax, bodyBytesMax) : bodyBytesMax, reserve);
    return await work(isCompressed ? await decompress(bytes, encoding as Encoding, bodyBytesMax, reserve) : bytes);
  } finally {
    budget.bytes -= reserved;
    release(budget.shares, share, reserved);
    release(budget.callers, caller, 1);
  }
}

async function decompress(
  bytes: Buffer,
  encoding: Encoding,
  bytesMax: number,
  reserve: (bytes: number) => void,
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
      reserve(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof Problem
      ? error
      : new Problem('invalid_json', { detail: `the body is not valid ${encoding}` });
  }
  return Buffer.concat(chunks);
}

/** Entries that fall to zero go, so that the map never grows. */
function release(counts: Map<string, number>, key: string, count: number): void {
  const remaining = (counts.get(key) ?? 0) - count;
  if (remaining > 0) counts.set(key, remaining);
  else counts.delete(key);
}
