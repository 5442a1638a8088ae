import type { z } from 'zod';
import { Problem } from '../problem.ts';
import { describeIssue } from './describe-issue.ts';

/** Key of a body schema's `meta` that lists the fields a client may read but not set. */
export const readOnlyKey = 'x-read-only';

/** Refinement of an array of texts: refuses each item that is there already. */
export function refuseRepeats(items: readonly string[], context: z.RefinementCtx): void {
  for (const [index, item] of items.entries()) {
    if (items.indexOf(item) < index)
      context.addIssue({ code: 'custom', path: [index], params: { code: 'not_allowed' }, message: 'is given twice' });
  }
}

/** Parses query or path values. Throws `invalid_parameter` with every error at once. */
export function parseParameters<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap(issue => {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0] ?? '')];
    return names.map(parameter => ({ parameter, ...describeIssue(issue, value) }));
  });
  throw new Problem('invalid_parameter', {
    detail: errors
      .map(error => `${error.parameter} ${error.detail}`)
      .join('; ')
      .slice(0, 500),
    errors,
  });
}
