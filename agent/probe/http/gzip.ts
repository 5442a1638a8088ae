import { crc32, inflateRawSync } from 'node:zlib';

const headerLength = 10;
const [hasHeaderHash, hasExtra, hasName, hasComment] = [0x02, 0x04, 0x08, 0x10];

/** The content of the first gzip member (RFC 1952), whatever comes after it; null if it is damaged or longer. */
export function decodeFirstMember(bytes: Buffer, lengthMax: number): Buffer | null {
  if (bytes.length < headerLength || bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) return null;
  try {
    const start = headerEnd(bytes);
    const { buffer, engine } = inflate(bytes.subarray(start), lengthMax);
    return crc32(buffer) === bytes.readUInt32LE(start + engine.bytesWritten) ? buffer : null;
  } catch {
    return null;
  }
}

/** The types of Node do not know `info`: `engine.bytesWritten` is how much of the input was used. */
function inflate(bytes: Buffer, maxOutputLength: number): { buffer: Buffer; engine: { bytesWritten: number } } {
  const options = { maxOutputLength, info: true };
  return inflateRawSync(bytes, options) as unknown as ReturnType<typeof inflate>;
}

function headerEnd(bytes: Buffer): number {
  const flags = bytes[3] ?? 0;
  let end = headerLength;
  if (flags & hasExtra) end += 2 + bytes.readUInt16LE(end);
  if (flags & hasName) end = afterZero(bytes, end);
  if (flags & hasComment) end = afterZero(bytes, end);
  return flags & hasHeaderHash ? end + 2 : end;
}

function afterZero(bytes: Buffer, start: number): number {
  const zero = bytes.indexOf(0, start);
  return zero < 0 ? bytes.length : zero + 1;
}
