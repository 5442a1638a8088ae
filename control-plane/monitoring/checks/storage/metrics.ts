import type { Timings } from '#shared/check-result.ts';

/** The numbers of a result that differ from check to check. `daysLeft` is null without TLS. */
export type CheckMetrics = { timings: Timings | null; bytes: number; truncated: boolean; daysLeft: number | null };

const has = { timings: 1, truncated: 2, daysLeft: 4 } as const;
/** Flags, five timings of at most 6 bytes, two numbers of at most 8. */
const bytesMax = 47;

/**
 * About 16 bytes: flags, then each number in groups of seven bits, lowest first; timings in microseconds and one more,
 * 0 for null. Null if they would not come back exactly as they are.
 */
export function packMetrics({ timings, bytes, truncated, daysLeft }: CheckMetrics): Buffer | null {
  if (daysLeft !== null && !(Number.isInteger(daysLeft) && Math.abs(daysLeft) < 2 ** 31)) return null;
  const packed = Buffer.allocUnsafe(bytesMax);
  packed[0] =
    (timings === null ? 0 : has.timings) | (truncated ? has.truncated : 0) | (daysLeft === null ? 0 : has.daysLeft);
  let offset = 1;
  if (timings !== null) {
    for (const ms of inOrder(timings)) {
      const microseconds = ms === null ? -1 : Math.round(ms * 1000);
      if (ms !== null && microseconds / 1000 !== ms) return null;
      offset = write(packed, microseconds + 1, offset);
    }
  }
  offset = write(packed, bytes, offset);
  if (daysLeft !== null) offset = write(packed, daysLeft < 0 ? -2 * daysLeft - 1 : 2 * daysLeft, offset);
  return packed.subarray(0, offset);
}

export function unpackMetrics(packed: Uint8Array): CheckMetrics {
  const flags = packed[0] ?? 0;
  let offset = 1;
  const next = (): number => {
    let [value, weight, byte] = [0, 1, 128];
    while (byte >= 128 && offset < packed.length) {
      byte = packed[offset++] ?? 0;
      value += (byte % 128) * weight;
      weight *= 128;
    }
    return value;
  };
  const nextMs = (): number | null => {
    const value = next();
    return value === 0 ? null : (value - 1) / 1000;
  };
  const timings =
    (flags & has.timings) === 0
      ? null
      : {
          dns_ms: nextMs(),
          connect_ms: nextMs(),
          tls_ms: nextMs(),
          first_byte_ms: nextMs(),
          download_ms: nextMs(),
        };
  const bytes = next();
  const days = (flags & has.daysLeft) === 0 ? null : next();
  const daysLeft = days === null ? null : days % 2 === 0 ? days / 2 : -(days + 1) / 2;
  return { timings, bytes, truncated: (flags & has.truncated) !== 0, daysLeft };
}

function inOrder({ dns_ms, connect_ms, tls_ms, first_byte_ms, download_ms }: Timings): (number | null)[] {
  return [dns_ms, connect_ms, tls_ms, first_byte_ms, download_ms];
}

function write(buffer: Buffer, value: number, start: number): number {
  let [rest, offset] = [value, start];
  while (rest >= 128) {
    buffer[offset++] = (rest % 128) + 128;
    rest = Math.floor(rest / 128);
  }
  buffer[offset] = rest;
  return offset + 1;
}
