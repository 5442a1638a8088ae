import { z } from 'zod';

/** Most bytes that checks of a kind send. */
export const sentTextBytesMax = { tcp: 1024, websocket: 4096 } as const;

/** Text of at most so many bytes that a check sends; null if it sends none. */
export function sentTextSchema(bytesMax: number) {
  return z
    .string()
    .min(1)
    .refine(text => Buffer.byteLength(text) <= bytesMax, {
      params: { code: 'too_long' },
      message: `must have at most ${bytesMax} bytes`,
    })
    .nullable()
    .default(null);
}
