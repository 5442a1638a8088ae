import { z } from 'zod';

/** Text of one line without control characters, for titles and names; `max` is in characters. */
export const lineSchema = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine(isOneLine, { params: { code: 'format' }, message: 'must not contain control characters' });

export function isOneLine(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}
