import type { IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { Problem } from './problem.ts';
import { readBytes } from './read-body.ts';

/** Where bodies of one kind of caller are held while they are read and worked on. */
export type BodyRoom = {
  /** Most bytes of one body. */
  readonly bodyBytesMax: number;
  /** Most bytes over all bodies at once. */
  readonly bytesMax: number;
  /** Most bodies of one caller at once. */
  readonly perCallerMax: number;
  bytes: number;
  readonly callers: Map<string, number>;
};

export function createBodyRoom(most: Pick<BodyRoom, 'bodyBytesMax' | 'bytesMax' | 'perCallerMax'>): BodyRoom {
  return { ...most, bytes: 0, callers: new Map() };
}

const wireBytesMax = 1_048_576;

const inflaters = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  // RFC 9110 means the zlib format; many send the bare stream.
  deflate: (bytes: Buffer) => (((bytes[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()),
};
type Encoding = keyof typeof inflaters;

/**
 * A body, plain or compressed: the limit holds while inflating, so that a bomb costs no more than an honest body. What came
 * so far counts against the room until `work` is done; beyond it: `unavailable`. What is only announced counts nothing, or
 * a caller could fill the room without sending.
 */
export async function withBody<Result>(
  request: IncomingMessage,
  room: BodyRoom,
  caller: string,
  work: (bytes: Buffer) => Promise<Result>,
): Promise<Result> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const packed = Object.hasOwn(inflaters, encoding);
  if (encoding !== 'identity' && !packed) throw new Problem('unsupported_media_type');
  const headers = { connection: 'close' };
  const own = room.callers.get(caller) ?? 0;
  if (own >= room.perCallerMax)
    throw new Problem('rate_limited', { retryAfter: 1, detail: 'too many requests of yours are open', headers });
  let held = 0;
  const hold = (bytes: number): void => {
    if (room.bytes + bytes > room.bytesMax)
      throw new Problem('unavailable', { retryAfter: 1, detail: 'too many bodies are being read', headers });
    room.bytes += bytes;
    held += bytes;
  };
  room.callers.set(caller, own + 1);
  try {
    const { bodyBytesMax } = room;
    const bytes = await readBytes(request, packed ? Math.min(wireBytesMax, bodyBytesMax) : bodyBytesMax, hold);
    return await work(packed ? await unpack(bytes, encoding as Encoding, bodyBytesMax, hold) : bytes);
  } finally {
    room.bytes -= held;
    const left = (room.callers.get(caller) ?? 1) - 1;
    if (left > 0) room.callers.set(caller, left);
    else room.callers.delete(caller);
  }
}

async function unpack(
  bytes: Buffer,
  encoding: Encoding,
  bytesMax: number,
  hold: (bytes: number) => void,
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
        throw new Problem('payload_too_large', { detail: `the body may have at most ${bytesMax} bytes when inflated` });
      hold(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof Problem
      ? error
      : new Problem('invalid_json', { detail: `the body is not valid ${encoding}` });
  }
  return Buffer.concat(chunks);
}
