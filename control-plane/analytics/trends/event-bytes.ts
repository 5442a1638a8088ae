/** Bits of an event's number above those of its user, which say the bucket. */
export const userBits = 53;
export const bytesPerEvent = 8;
const topBits = userBits - 32;

/**
 * Reads events as `listByValue` writes them: the bucket of each, from 0, and the upper 21 and lower 32 bits of its
 * user, or -1 and 0 without one.
 */
export function eachEvent(events: Buffer, visit: (bucket: number, top: number, bottom: number) => void): void {
  const view = new DataView(events.buffer, events.byteOffset, events.length);
  for (let at = 0; at < events.length; at += bytesPerEvent) {
    const [top, bottom] = [view.getInt32(at), view.getUint32(at + 4)];
    // Without a user it is -1 - bucket.
    if (top < 0) visit(~bottom >>> 0, -1, 0);
    else visit(top >>> topBits, top & (2 ** topBits - 1), bottom);
  }
}
