import { z } from 'zod';
import { integerParameter, rangeParameters } from '../http/parameters.ts';

const groupings = ['none', 'day', 'hour', 'release'] as const;
export type Grouping = (typeof groupings)[number];

export const reportQuerySchema = z.strictObject({
  ...rangeParameters,
  group_by: z.enum(groupings).optional(),
  release_id: z.string().max(40).optional(),
  version: integerParameter(1, 1_000_000).optional().describe('of the flow; its current one by default'),
  source: z
    .enum(['auto', 'raw', 'hourly'])
    .optional()
    .describe('raw: exact, from raw events only; hourly: whole hours of the roll-up only'),
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
    range: z.object({ from: z.string(), to: z.string() }).describe('what was counted: entries in it'),
    group_by: z.enum(groupings),
    steps: z.array(stepSchema),
    buckets: z.array(z.object({ bucket: z.string(), steps: z.array(stepSchema) })).optional(),
    releases: z
      .array(
        z.object({
          release_id: z.string().nullable().describe('null: entries before the first release'),
          version: z.string().nullable(),
          name: z.string().nullable(),
          released_at: z.string().nullable(),
          steps: z.array(stepSchema),
        }),
      )
      .optional(),
    complete_from: z.string().nullable().describe('earlier entries were gone already when this version was made'),
    complete_through: z.string().describe('everything ingested before is counted'),
    source: z.enum(['raw', 'hourly', 'mixed']),
    estimated: z.boolean().describe('true when a set was too large to keep exactly: standard error 0.81 %'),
  })
  .meta({ title: 'FunnelReport' });
export type ReportView = z.infer<typeof reportSchema>;
