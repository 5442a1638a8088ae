import { z } from 'zod';
import { integerParameter, rangeParameters } from '../../platform/http/endpoint/parameters.ts';
import { otherName } from '../cells/cell.ts';
import { eventName, timezoneParameter } from '../trends/schema.ts';

export const cohortGranularities = ['day', 'week'] as const;
export const cohortKinds = ['first', 'any'] as const;
const periodsMax = 30;
const periodsDefault = 8;

/** Names that are counted together are no event of their own. */
const oneName = eventName.refine(name => name !== otherName, { message: 'must be the name of one event' });

export const retentionQuery = z.strictObject({
  start: oneName.describe('Name of the event that puts a user into a cohort.'),
  return: oneName.optional().describe('Name of the event by which users come back; `start` by default.'),
  granularity: z.enum(cohortGranularities).default('week').describe('Length of a period. Weeks begin on Monday.'),
  from: rangeParameters.from.describe(
    'Start of the range, moved back to a whole period; by default 8 weeks or 14 days before the end of the range.',
  ),
  to: rangeParameters.to.describe('End of the range, moved on to a whole period; now by default.'),
  timezone: timezoneParameter,
  periods: integerParameter(1, periodsMax)
    .default(periodsDefault)
    .describe(`How many periods after its own a cohort is followed, up to ${periodsMax}.`),
  cohort: z
    .enum(cohortKinds)
    .default('first')
    .describe('`first`: users belong to the period of their first start within the range alone; `any`: to each.'),
});
export type RetentionQuery = z.output<typeof retentionQuery>;

/** Why a number is not known. Numbers that are known are exact. */
const unknownReasons = ['too_many_users', 'too_many_names', 'zone_between_hours', 'not_counted'] as const;
export type UnknownReason = (typeof unknownReasons)[number];

const users = z.int().nullable();

export const retentionSchema = z
  .object({
    range: z.object({ from: z.string(), to: z.string() }),
    granularity: z.enum(cohortGranularities),
    timezone: z.string(),
    cohorts: z.array(
      z.object({
        period: z.string(),
        users,
        returned: z.array(users),
        complete: z
          .boolean()
          .describe(
            'False while the period goes on: `users` and `returned[0]` count up to now and still grow, and so does ' +
              '`returned[n]` of the cohort n periods before.',
          ),
        reason: z.enum(unknownReasons).nullable(),
      }),
    ),
    complete_through: z.string(),
    source: z.enum(['raw', 'hourly', 'mixed']),
    exact: z.literal(true),
  })
  .meta({ title: 'Retention' });
export type RetentionView = z.infer<typeof retentionSchema>;
