import { z } from 'zod';
import { doubts, verdicts } from './compare-release.ts';
import { reasons } from './estimate.ts';

const count = z.int().min(0);
const status = z.enum(['measured', 'cannot_tell']);
const reason = z.enum(reasons).nullable();
const sideSchema = z.object({ active: count, with_errors: count }).nullable();

const usersSchema = z.object({
  status,
  reason,
  with_errors: count.nullable().describe('Number of users with an error in the window.'),
  active: count.nullable().describe('Number of users with any event in the window.'),
  expected: z
    .number()
    .nullable()
    .describe('Users who would have had an error anyway, estimated from the same hours of previous weeks.'),
  affected: count.nullable(),
  low: count.nullable().describe('Lower end of the 95 % interval, of which `high` is the upper end.'),
  high: count.nullable(),
  significant: z.boolean().nullable(),
});

const missingSchema = z.object({
  status,
  reason,
  expected: z.number().nullable().describe('Median number of active users in the same hours of previous weeks.'),
  low: count.nullable(),
  high: count.nullable(),
});

const comparisonFields = {
  verdict: z
    .enum(verdicts)
    .describe(
      'Result of the comparison. `suspect`: more users had an error after the release than before, beyond ' + 'chance.',
    ),
  reason: z
    .enum([...doubts, 'not_kept', 'too_many_events'])
    .nullable()
    .describe('Why no estimate is possible; null if there is one.'),
  ratio: z.number().nullable().describe('Share of users with an error after the release, divided by the share before.'),
  low: z.number().nullable(),
  high: z.number().nullable(),
  before: sideSchema,
  after: sideSchema,
  new_errors: z
    .array(z.object({ name: z.string(), users: count }))
    .describe(
      'Errors after the release that did not occur in the seven days before it; empty if there are too ' +
        'many events.',
    ),
};
const comparisonSchema = z.object(comparisonFields);
export type ComparisonView = z.infer<typeof comparisonSchema>;

const candidateSchema = z.object({
  id: z.string(),
  version: z.string(),
  name: z.string().nullable(),
  released_at: z.string(),
  ...comparisonFields,
});

const spanSchema = z.object({ from: z.string(), to: z.string() });

/** A release with the hour before it and the hour after it. */
export const releaseComparisonSchema = z
  .object({
    release_id: z.string(),
    computed_at: z.string(),
    before_window: spanSchema.describe('Window before the release: at most an hour, cut at the previous release.'),
    after_window: spanSchema.describe(
      'Window after the release: at most an hour, cut at the next release and at the present.',
    ),
    ...comparisonFields,
  })
  .meta({ title: 'ReleaseComparison' });

export const impactSchema = z
  .object({
    definition: z.literal(1).describe('Version of the method used for the estimate.'),
    computed_at: z.string(),
    window: spanSchema,
    users: usersSchema,
    missing: missingSchema,
    releases: z.object({ status: z.enum(['measured', 'none']), candidates: z.array(candidateSchema) }),
    source: z.literal('raw'),
    estimated: z.boolean(),
  })
  .meta({ title: 'Impact' });
export type ImpactView = z.infer<typeof impactSchema>;

const namesMax = 20;
const name = z.string().min(1).max(200);

/** A name, or a JSON array of names. */
const namesParameter = z
  .string()
  .max(5000)
  .transform((text, context) => {
    const value = text.startsWith('[') ? parseJson(text) : [text];
    const parsed = z.array(name).min(1).max(namesMax).safeParse(value);
    if (parsed.success) return parsed.data;
    context.addIssue({ code: 'custom', message: `must be a name, or a JSON array of at most ${namesMax} names` });
    return z.NEVER;
  });

export const impactQuery = z.strictObject({
  errors: namesParameter.describe('Count only these errors: a name, or a JSON array of names.').optional(),
  environment: z.string().min(1).max(100).default('production').describe('Environment of the releases to compare.'),
  lookback_minutes: z
    .string()
    .regex(/^\d{1,4}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(5).max(1440))
    .default(60)
    .describe('Minutes before the incident within which a release counts as one that preceded it.'),
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
