import { bytesAtMost } from '../../../platform/http/bytes-at-most.ts';

/** Most bytes that checks of a kind send. */
export const sentTextBytesMax = { tcp: 1024, websocket: 4096 } as const;

/** Text that a check sends, of at most `bytesMax` bytes; null if it sends none. */
export function sentTextSchema(bytesMax: number) {
  return bytesAtMost(bytesMax).min(1).nullable().default(null);
}
