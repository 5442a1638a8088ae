import { z } from 'zod';
import { integerParameter, rangeParameters } from '../../../platform/http/endpoint/parameters.ts';

const groupings = ['none', 'day', 'hour', 'release', 'property'] as const;
/** How entries are grouped by their time, which the roll-up can answer. */
export type Grouping = Exclude<(typeof groupings)[number], 'property'>;

export const reportQuerySchema = z.strictObject({
  ...rangeParameters,
  group_by: z.enum(groupings).optional(),
  property: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('For `group_by=property`: the top-level property of the first step whose values are the groups.'),
  release_id: z.string().max(40).optional(),
  version: integerParameter(1, 1_000_000).optional().describe('Version of the flow; by default the current one.'),
  source: z
    .enum(['auto', 'raw', 'hourly'])
    .optional()
    .describe(
      '`raw`: exact counts from raw events; `hourly`: whole hours from the roll-up; `auto`, the default: ' +
        'the best of both.',
    ),
});
export type ReportQuery = z.output<typeof reportQuerySchema>;

const stepSchema = z.object({
  step: z.int(),
  name: z.string(),
  users: z.int(),
  from_first: z.number().nullable(),
  from_previous: z.number().nullable(),
});
export type StepView = z.infer<typeof stepSchema>;

export const reportSchema = z
  .object({
    flow_id: z.string(),
    version: z.int(),
    range: z.object({ from: z.string(), to: z.string() }).describe('Range of time whose entries are counted.'),
    group_by: z.enum(groupings),
    steps: z.array(stepSchema),
    buckets: z.array(z.object({ bucket: z.string(), steps: z.array(stepSchema) })).optional(),
    releases: z
      .array(
        z.object({
          release_id: z.string().nullable().describe('ID of the release; null for entries before the first release.'),
          version: z.string().nullable(),
          name: z.string().nullable(),
          released_at: z.string().nullable(),
          steps: z.array(stepSchema),
        }),
      )
      .optional(),
    property: z.string().optional(),
    values: z
      .array(
        z.object({
          type: z.enum(['value', 'missing', 'other']),
          value: z
            .union([z.string(), z.number(), z.boolean(), z.null()])
            .describe('Value of the property; null also for `missing` and `other`.'),
          steps: z.array(stepSchema),
        }),
      )
      .optional()
      .describe(
        'Groups by property: the 20 values with the most users, then entries without it, then all other ' + 'values.',
      ),
    complete_from: z
      .string()
      .nullable()
      .describe('Entries before this time had been deleted when the version was created; null if none had.'),
    complete_through: z.string().describe('All events that arrived before this time are counted.'),
    source: z.enum(['raw', 'hourly', 'mixed']),
    roll_up: z
      .object({ hours: z.int(), pending: z.int() })
      .describe('Hours of the range, and how many of them have not been rolled up yet and are read from raw events.'),
    estimated: z
      .boolean()
      .describe('True if a count is estimated because it is too large to keep exactly: standard error 0.81 %.'),
  })
  .meta({ title: 'FunnelReport' });
export type ReportView = z.infer<typeof reportSchema>;
