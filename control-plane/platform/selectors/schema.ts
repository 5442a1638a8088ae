import { z } from 'zod';
import { parseSelector, SelectorError } from './parse.ts';
import type { Selector } from './selector.ts';

const syntax = 'such as `env=prod, team in (web, api), !legacy`; `*` matches everything';

/** A selector in a query, parsed. */
export const selectorParameter = z
  .string()
  .min(1)
  .max(1000)
  .transform((text, context): Selector => {
    const { selector, error } = read(text);
    if (selector !== null) return selector;
    context.addIssue({ code: 'custom', params: { code: 'format' }, message: error });
    return z.NEVER;
  })
  .describe(`Label selector, ${syntax}.`);

/** A selector in a body, as it was written. */
export const selectorField = z
  .string()
  .min(1)
  .max(1000)
  .superRefine((text, context) => {
    const { selector, error } = read(text);
    if (selector === null) context.addIssue({ code: 'custom', params: { code: 'format' }, message: error });
  })
  .describe(`Label selector, ${syntax}.`);

function read(text: string): { selector: Selector; error: null } | { selector: null; error: string } {
  try {
    return { selector: parseSelector(text), error: null };
  } catch (error) {
    if (error instanceof SelectorError) return { selector: null, error: `has an error in ${error.message}` };
    throw error;
  }
}
