import { z } from 'zod';
import { readOnlyKey } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { isTimezone } from '../../platform/local-time.ts';
import { countedTypes } from '../cells/cell.ts';
import { cohortGranularities, cohortKinds } from '../cohorts/schema.ts';
import { granularities, rangeOf } from '../trends/buckets.ts';
import { eventName, namesPerTrend } from '../trends/schema.ts';

const lasts = ['24h', '7d', '30d', '90d'] as const;
const hoursOf = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24, '90d': 90 * 24 } as const;
const hourMs = 3_600_000;
/** By day, retention answers 60 of them. */
const retentionDaysMax = 60;

const shared = { title: lineSchema(100), last: z.enum(lasts).default('30d') };

const names = z
  .array(eventName)
  .min(1)
  .max(namesPerTrend)
  .refine(list => new Set(list).size === list.length, {
    params: { code: 'not_allowed' },
    message: 'must have distinct names',
  });

const trend = z
  .object({
    ...shared,
    type: z.literal('trend'),
    event: z.union([eventName, names]),
    event_type: z.enum(countedTypes).default('track'),
    granularity: z.enum(granularities).default('day'),
    timezone: z
      .string()
      .max(64)
      .refine(isTimezone, { params: { code: 'format' }, message: 'must be a time zone such as Europe/Berlin' })
      .default('UTC'),
    breakdown: z.string().min(1).max(200).nullable().default(null),
  })
  .check(({ value, issues }) => {
    const refuse = (path: string, code: string, message: string) =>
      issues.push({ code: 'custom', path: [path], params: { code }, message, input: value });
    if (value.breakdown !== null && Array.isArray(value.event) && value.event.length > 1)
      refuse('breakdown', 'not_allowed', 'needs one event alone');
    if (hoursOf[value.last] * hourMs > rangeOf[value.granularity].maxMs)
      refuse('last', 'out_of_range', `must be at most ${rangeOf[value.granularity].max}`);
  });

const funnel = z.object({
  ...shared,
  type: z.literal('funnel'),
  flow_id: z.string().max(40),
  group_by: z.enum(['none', 'day', 'release']).default('none'),
});

const retention = z
  .object({
    ...shared,
    type: z.literal('retention'),
    start: eventName,
    return: eventName.nullable().default(null),
    granularity: z.enum(cohortGranularities).default('week'),
    cohort: z.enum(cohortKinds).default('first'),
  })
  .check(({ value, issues }) => {
    if (value.granularity !== 'day' || hoursOf[value.last] <= retentionDaysMax * 24) return;
    const message = `must be at most ${retentionDaysMax} days by day`;
    issues.push({ code: 'custom', path: ['last'], params: { code: 'out_of_range' }, message, input: value.last });
  });

/** What a report shows: the parameters of a trend, a funnel or of retention, asked whenever it is looked at. */
const item = z.discriminatedUnion('type', [trend, funnel, retention]).meta({ title: 'ReportItem' });
export type ReportItem = z.output<typeof item>;

const fields = { name: lineSchema(100), items: z.array(item).min(1).max(12) };

export const reportSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    key: z.string().nullable(),
    managed_by: z.string().nullable(),
    ...fields,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ title: 'Report' });

const readOnly = { [readOnlyKey]: ['id', 'project_id', 'key', 'managed_by', 'created_at', 'updated_at'] };

export const reportPostSchema = z.object(fields).meta(readOnly);
export const reportPatchSchema = z
  .object({ name: fields.name.optional(), items: fields.items.optional() })
  .meta(readOnly);

export type ReportPost = z.output<typeof reportPostSchema>;
export type ReportPatch = z.output<typeof reportPatchSchema>;
