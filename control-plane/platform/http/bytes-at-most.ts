import { z } from 'zod';

/** Text of at most `max` bytes of UTF-8. */
export function bytesAtMost(max: number) {
  return z.string().refine(text => Buffer.byteLength(text) <= max, {
    params: { code: 'too_long' },
    message: `must have at most ${max} bytes`,
  });
}
