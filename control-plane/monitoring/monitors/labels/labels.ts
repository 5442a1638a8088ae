import { z } from 'zod';

/** Labels of a monitor by key. */
export type Labels = Readonly<Record<string, string>>;

/** Most labels of a monitor. */
export const labelsMax = 32;
const valueLengthMax = 200;
const labelKey = /^[a-z][a-z0-9_.-]{0,62}$/;

const labelsRecord = z
  .record(
    z.string(),
    z
      .string()
      .max(valueLengthMax)
      .refine(value => !/\p{Cc}/u.test(value), {
        params: { code: 'format' },
        message: 'must not contain control characters',
      }),
  )
  .superRefine((labels, context) => {
    const refuse = (path: string[], code: string, message: string) =>
      context.addIssue({ code: 'custom', path, params: { code }, message });
    const keys = Object.keys(labels);
    if (keys.length > labelsMax) refuse([], 'too_long', `must have at most ${labelsMax} labels`);
    for (const key of keys)
      if (!labelKey.test(key)) refuse([key], 'format', `must have a key that matches ${labelKey.source}`);
  });

/** Labels that a client sets: at most 32, with keys of a fixed form and short values. */
export const labelsSchema = z
  .preprocess((value, context) => {
    // z.record drops this name silently.
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'))
      context.addIssue({
        code: 'custom',
        path: ['__proto__'],
        params: { code: 'format' },
        message: `must have a key that matches ${labelKey.source}`,
      });
    return value;
  }, labelsRecord)
  .describe('Labels as keys with values; selectors find monitors by them.');
