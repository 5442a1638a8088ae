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
  with_errors: count.nullable().describe('users with an error in the window'),
  active: count.nullable().describe('users with any event in the window'),
  expected: z
    .number()
    .nullable()
    .describe('users who would have had an error anyway, by the same hours of weeks before'),
  affected: count.nullable(),
  low: count.nullable().describe('with `high` the interval that holds the true number 95 times in 100'),
  high: count.nullable(),
  significant: z.boolean().nullable(),
});

const missingSchema = z.object({
  status,
  reason,
  expected: z.number().nullable().describe('median of active users in the same hours of previous weeks'),
  low: count.nullable(),
  high: count.nullable(),
});

const comparisonFields = {
  verdict: z.enum(verdicts).describe('`suspect`: more users had an error after it than before, beyond chance'),
  reason: z
    .enum([...doubts, 'not_kept', 'too_many_events'])
    .nullable()
    .describe('why nothing can be said'),
  ratio: z.number().nullable().describe('share of users with an error after the release, by the share before'),
  low: z.number().nullable(),
  high: z.number().nullable(),
  before: sideSchema,
  after: sideSchema,
  new_errors: z
    .array(z.object({ name: z.string(), users: count }))
    .describe(
      'errors after the release that were not seen in the seven days before it; none if there are too many events',
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
    before_window: spanSchema.describe('at most an hour, cut at the previous release'),
    after_window: spanSchema.describe('at most an hour, cut at the next release and at now'),
    ...comparisonFields,
  })
  .meta({ title: 'ReleaseComparison' });

export const impactSchema = z
  .object({
    definition: z.literal(1).describe('of what is computed, and how'),
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
  errors: namesParameter.describe('count these errors only: a name, or a JSON array of names').optional(),
  environment: z.string().min(1).max(100).default('production').describe('of releases'),
  lookback_minutes: z
    .string()
    .regex(/^\d{1,4}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(5).max(1440))
    .default(60)
    .describe('how long before the incident a release counts as one that preceded it'),
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
