/**
 * A column of a batch as PostgreSQL's binary array (array_recv). Against array literals it saves a third of the CPU of
 * binding on our side, where quotes are escaped, and a tenth of the insert's on the server's, where they are parsed.
 */
export type BinaryArray = Uint8Array;

const headerBytes = 20;
const epochMs = Date.UTC(2000, 0, 1);

/** `oid` is of the element's type in pg_type. */
const oids = { bigint: 20, smallint: 21, integer: 23, text: 25, json: 114, real: 700, instant: 1184 } as const;

export function texts(values: readonly (string | null)[], oid: number = oids.text): BinaryArray {
  const bytes = values.reduce((sum, value) => sum + 4 + (value === null ? 0 : Buffer.byteLength(value)), headerBytes);
  return write(oid, values, bytes, (buffer, value, at) => buffer.write(value, at));
}

/** Each value is JSON text. */
export function jsons(values: readonly (string | null)[]): BinaryArray {
  return texts(values, oids.json);
}

/** Instants in milliseconds since the epoch, truncated as `instant` of sql.ts does. */
export function instants(values: readonly (number | null)[]): BinaryArray {
  return write(oids.instant, values, headerBytes + 12 * values.length, writeInstant);
}

export function smallints(values: readonly (number | null)[]): BinaryArray {
  return write(oids.smallint, values, headerBytes + 6 * values.length, (buffer, value, at) => {
    buffer.writeInt16BE(value, at);
    return 2;
  });
}

export function integers(values: readonly (number | null)[]): BinaryArray {
  return write(oids.integer, values, headerBytes + 8 * values.length, (buffer, value, at) => {
    buffer.writeInt32BE(value, at);
    return 4;
  });
}

/** Safe integers. */
export function bigints(values: readonly (number | null)[]): BinaryArray {
  return write(oids.bigint, values, headerBytes + 12 * values.length, (buffer, value, at) => {
    buffer.writeInt32BE(Math.floor(value / 2 ** 32), at);
    buffer.writeUInt32BE(value >>> 0, at + 4);
    return 8;
  });
}

export function reals(values: readonly (number | null)[]): BinaryArray {
  return write(oids.real, values, headerBytes + 8 * values.length, (buffer, value, at) => {
    buffer.writeFloatBE(value, at);
    return 4;
  });
}

/** `put` writes one value and tells its length. An empty array has no dimension. */
function write<Value>(
  oid: number,
  values: readonly (Value | null)[],
  bytes: number,
  put: (buffer: Buffer, value: Value, at: number) => number,
): BinaryArray {
  const buffer = Buffer.allocUnsafe(bytes);
  buffer.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  buffer.writeInt32BE(oid, 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16);
  let at = headerBytes;
  for (const value of values) {
    const length = value === null ? -1 : put(buffer, value, at + 4);
    buffer.writeInt32BE(length, at);
    at += 4 + Math.max(0, length);
  }
  return buffer.subarray(0, values.length === 0 ? 12 : at);
}

function writeInstant(buffer: Buffer, ms: number, at: number): number {
  const microseconds = (Math.floor(ms) - epochMs) * 1000;
  if (Number.isSafeInteger(microseconds)) {
    // Two halves take a fifth of the time of one BigInt.
    buffer.writeInt32BE(Math.floor(microseconds / 2 ** 32), at);
    buffer.writeUInt32BE(microseconds >>> 0, at + 4);
  } else {
    buffer.writeBigInt64BE(BigInt(Math.floor(ms) - epochMs) * 1000n, at);
  }
  return 8;
}
