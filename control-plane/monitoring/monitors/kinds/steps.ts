import { z } from 'zod';
import { assertionSchema, assertionsMax, refuse } from '#shared/assertions/assertion.ts';
import { checkPattern, checkQuery, checkTogether, newCost } from '#shared/assertions/expressions.ts';
import { extractSchema, extractSources, extractsMax } from '#shared/checks/steps.ts';
import { render, throughUrl } from '#shared/checks/templates.ts';
import { stepsMax } from '#shared/checks/vocabulary.ts';
import { lineSchema } from '../../../platform/http/line.ts';
import { authSchema } from '../auth/auth.ts';
import { headersSchema } from '../secrets/header-rules.ts';
import { encodedUrl, urlError, urlLengthMax } from '../url.ts';

const nameBytesMax = 100;
const bodyBytesMax = 65_536;
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

const atMost = (bytes: number) => ({ params: { code: 'too_long' }, message: `must have at most ${bytes} bytes` });
const fits = (bytes: number) => (text: string) => Buffer.byteLength(text) <= bytes;

const stepUrl = z
  .string()
  .overwrite(text => (text.length > urlLengthMax ? text : throughUrl(text, encodedUrl)))
  .max(urlLengthMax)
  .superRefine((text, context) => {
    const error = urlError(render(text, () => 'x'));
    const code = /^(?:[^/?#]*:\/*)?[^/?#]*\{\{/.test(text) ? 'not_allowed' : error === null ? null : 'format';
    const message = code === 'not_allowed' ? 'must have {{name}} in its path and query alone' : (error ?? '');
    if (code !== null) context.addIssue({ code: 'custom', params: { code }, message });
  })
  .describe(
    'URL of http or https, without credentials. `{{name}}` in its path or query stands for a value that an earlier ' +
      'step took, percent-encoded.',
  );

/** Which of its members each source of a value has. */
const members = { json_path: 'path', header: 'header', regex: 'pattern' } as const;

const extract = z
  .object({
    ...extractSchema.shape,
    from: z.enum(extractSources).describe('Where the value is.'),
    path: extractSchema.shape.path.describe('JSONPath query of RFC 9535, of which the first value is taken.'),
    header: extractSchema.shape.header.describe('Name of the response header.'),
    pattern: extractSchema.shape.pattern.describe(
      'Regular expression in RE2 syntax, searched in the body: its first group is taken, or else the match.',
    ),
  })
  .superRefine((given, context) => {
    for (const [from, member] of Object.entries(members))
      if (from === given.from && given[member] === undefined)
        refuse(context, [member], 'required', `given with \`from\` ${from}`);
      else if (from !== given.from && given[member] !== undefined)
        refuse(context, [member], 'not_allowed', `left out with \`from\` ${given.from}`);
  });

const step = z
  .object({
    name: lineSchema(nameBytesMax).refine(fits(nameBytesMax), atMost(nameBytesMax)),
    url: stepUrl,
    method: z.enum(methods).default('GET'),
    headers: headersSchema.default({}),
    body: z.string().refine(fits(bodyBytesMax), atMost(bodyBytesMax)).nullable().default(null),
    follow_redirects: z.boolean().default(true),
    auth: authSchema.nullable().default(null).describe('How the step signs in at its target; null: not at all.'),
    assertions: z.array(assertionSchema).max(assertionsMax).default([]),
    extract: z.array(extract).max(extractsMax).default([]).describe('Values that later steps use as `{{name}}`.'),
    always: z
      .boolean()
      .default(false)
      .describe('Whether the step also runs after a failure, to undo what was done; of the last step alone.'),
    timeout_ms: z
      .int()
      .min(500)
      .max(60_000)
      .nullable()
      .default(null)
      .describe('Time limit of this step, in milliseconds; null for what is left of the monitor’s.'),
  })
  .meta({ title: 'Step' });

export const multistepSchema = z
  .object({
    steps: z
      .array(step)
      .min(1)
      .max(stepsMax)
      .superRefine(checkExpressions, { when: () => true })
      .default([])
      .describe('Requests in their order; the first that fails ends the check.'),
  })
  .meta({ title: 'MultistepCheck' });
export type MultistepSettings = z.output<typeof multistepSchema>;
export type StepSettings = MultistepSettings['steps'][number];

/** The limits on patterns and queries hold over all steps together. */
function checkExpressions(steps: unknown, context: z.RefinementCtx): void {
  if (!Array.isArray(steps) || steps.length > stepsMax) return;
  const cost = newCost();
  for (const [index, one] of steps.entries()) {
    const { assertions, extract: extracts } = Object(one);
    checkTogether(assertions, context, cost, [index, 'assertions']);
    if (!Array.isArray(extracts) || extracts.length > extractsMax) continue;
    for (const [place, given] of extracts.entries()) {
      const { from, path, pattern } = Object(given);
      const at = [index, 'extract', place];
      if (from === 'json_path' && typeof path === 'string') checkQuery(path, cost, context, [...at, 'path']);
      if (from === 'regex' && typeof pattern === 'string') checkPattern(pattern, cost, context, [...at, 'pattern']);
    }
  }
}
