/**
 * A column of a batch in PostgreSQL's binary array format (array_recv). Compared with array literals this saves a
 * third of the CPU of binding on our side, where quotes are escaped, and a tenth of the insert's on the server, which
 * parses them.
 */
export type BinaryArray = Uint8Array;

const headerBytes = 20;
const epochMs = Date.UTC(2000, 0, 1);

/** Oids of the element types in pg_type. */
const oids = {
  bytea: 17,
  bigint: 20,
  smallint: 21,
  integer: 23,
  text: 25,
  json: 114,
  real: 700,
  instant: 1184,
} as const;

/** Strings; another oid for types whose binary format is text. */
export function texts(values: readonly (string | null)[], oid: number = oids.text): BinaryArray {
  const bytes = values.reduce((sum, value) => sum + 4 + (value === null ? 0 : Buffer.byteLength(value)), headerBytes);
  return write(oid, values, bytes, (buffer, value, offset) => buffer.write(value, offset));
}

/** Each value is JSON text. */
export function jsons(values: readonly (string | null)[]): BinaryArray {
  return texts(values, oids.json);
}

export function byteas(values: readonly (Uint8Array | null)[]): BinaryArray {
  const bytes = values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), headerBytes);
  return write(oids.bytea, values, bytes, (buffer, value, offset) => {
    buffer.set(value, offset);
    return value.length;
  });
}

/** Instants in milliseconds since the epoch, truncated as `instant` of sql.ts does. */
export function instants(values: readonly (number | null)[]): BinaryArray {
  return write(oids.instant, values, headerBytes + 12 * values.length, writeInstant);
}

export function smallints(values: readonly (number | null)[]): BinaryArray {
  return write(oids.smallint, values, headerBytes + 6 * values.length, (buffer, value, offset) => {
    buffer.writeInt16BE(value, offset);
    return 2;
  });
}

export function integers(values: readonly (number | null)[]): BinaryArray {
  return write(oids.integer, values, headerBytes + 8 * values.length, (buffer, value, offset) => {
    buffer.writeInt32BE(value, offset);
    return 4;
  });
}

/** Safe integers. */
export function bigints(values: readonly (number | null)[]): BinaryArray {
  return write(oids.bigint, values, headerBytes + 12 * values.length, (buffer, value, offset) => {
    buffer.writeInt32BE(Math.floor(value / 2 ** 32), offset);
    buffer.writeUInt32BE(value >>> 0, offset + 4);
    return 8;
  });
}

export function reals(values: readonly (number | null)[]): BinaryArray {
  return write(oids.real, values, headerBytes + 8 * values.length, (buffer, value, offset) => {
    buffer.writeFloatBE(value, offset);
    return 4;
  });
}

/** `writeValue` writes one value and returns its length in bytes. An empty array has no dimension. */
function write<Value>(
  oid: number,
  values: readonly (Value | null)[],
  bytes: number,
  writeValue: (buffer: Buffer, value: Value, offset: number) => number,
): BinaryArray {
  const buffer = Buffer.allocUnsafe(bytes);
  buffer.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  buffer.writeInt32BE(oid, 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16);
  let offset = headerBytes;
  for (const value of values) {
    const length = value === null ? -1 : writeValue(buffer, value, offset + 4);
    buffer.writeInt32BE(length, offset);
    offset += 4 + Math.max(0, length);
  }
  return buffer.subarray(0, values.length === 0 ? 12 : offset);
}

function writeInstant(buffer: Buffer, ms: number, offset: number): number {
  const microseconds = (Math.floor(ms) - epochMs) * 1000;
  if (Number.isSafeInteger(microseconds)) {
    // Two halves take a fifth of the time of one BigInt.
    buffer.writeInt32BE(Math.floor(microseconds / 2 ** 32), offset);
    buffer.writeUInt32BE(microseconds >>> 0, offset + 4);
  } else {
    buffer.writeBigInt64BE(BigInt(Math.floor(ms) - epochMs) * 1000n, offset);
  }
  return 8;
}
