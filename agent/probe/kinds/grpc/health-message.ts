import type { ServingStatus } from '#shared/checks/vocabulary.ts';
import { servingStatuses } from '#shared/checks/vocabulary.ts';

// The two messages of grpc.health.v1, each of one field, behind gRPC's prefix: a flag for compression and the length.

const prefixBytes = 5;
const [varint, fixed64, lengthDelimited, fixed32] = [0, 1, 2, 5];

/** A HealthCheckRequest: field 1 is the name of the service, left out if it is empty. */
export function encodeRequest(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...varintOf(name.length)]), name]);
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/**
 * The status in one whole HealthCheckResponse, field 1: `UNKNOWN` if it is left out, null for one that this version
 * does not know. Undefined for bytes that are no such message.
 */
export function decodeResponse(bytes: Buffer): ServingStatus | null | undefined {
  const isWhole = bytes.length >= prefixBytes && bytes.readUInt32BE(1) === bytes.length - prefixBytes;
  // Nothing was said of a compression that we understand.
  if (!isWhole || bytes[0] !== 0) return undefined;
  const number = statusIn(bytes.subarray(prefixBytes));
  return number === null ? undefined : (servingStatuses[number] ?? null);
}

/** Null for bytes that are no protobuf message. Of a repeated field the last value counts, others are skipped. */
function statusIn(message: Buffer): number | null {
  let status = 0;
  for (let at = 0; at < message.length; ) {
    const tag = readVarint(message, at);
    if (tag === null) return null;
    const value = readVarint(message, tag.end);
    switch (tag.value % 8) {
      case varint:
        if (value === null) return null;
        if (tag.value === 8) status = value.value;
        at = value.end;
        break;
      case lengthDelimited:
        if (value === null) return null;
        at = value.end + value.value;
        break;
      case fixed64:
      case fixed32:
        at = tag.end + (tag.value % 8 === fixed64 ? 8 : 4);
        break;
      default:
        return null;
    }
    if (at > message.length) return null;
  }
  return status;
}

/** As a number, exact where it matters: below 2 to the power of 53. */
function readVarint(bytes: Buffer, start: number): { value: number; end: number } | null {
  let value = 0;
  for (let index = 0; index < 10; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) return null;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, end: start + index + 1 };
  }
  return null;
}

function varintOf(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varintOf(value >>> 7)];
}
