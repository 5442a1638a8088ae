import { z } from 'zod';
import { rangeParameters } from '../../platform/http/endpoint/parameters.ts';
import { isTimezone } from '../../platform/local-time.ts';
import { countedTypes } from '../cells/cell.ts';
import { limits } from '../events/event.ts';
import { granularities } from './buckets.ts';

export const namesPerTrend = 10;
export const eventName = z.string().min(1).max(limits.nameLength);
const nameList = z
  .array(eventName)
  .min(1)
  .max(namesPerTrend)
  .refine(names => new Set(names).size === names.length, { message: 'must have distinct names' });

/** A name, or names as a JSON array. A text that is no JSON array is a name, also if it begins with a bracket. */
const eventParameter = z
  .string()
  .min(1)
  .max(4096)
  .transform((text, context): string[] => {
    const parsed = (text.startsWith('[') ? nameList : z.tuple([eventName])).safeParse(readNames(text));
    if (parsed.success) return parsed.data;
    const message = `must be a name of up to ${limits.nameLength} characters, or a JSON array of distinct ones`;
    context.addIssue({ code: 'custom', params: { code: 'format' }, message });
    return z.NEVER;
  })
  .meta({ type: 'string' })
  .describe(`Name of the event, or a JSON array of up to ${namesPerTrend} names.`);

function readNames(text: string): unknown {
  if (!text.startsWith('[')) return [text];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [text];
  } catch {
    return [text];
  }
}

/** The zone in which days and weeks begin. */
export const timezoneParameter = z
  .string()
  .max(64)
  .refine(isTimezone, { params: { code: 'format' }, message: 'must be a time zone such as Europe/Berlin' })
  .default('UTC')
  .describe('Time zone of IANA in which days and weeks begin; UTC by default.');

export const trendQuery = z.strictObject({
  event: eventParameter,
  type: z.enum(countedTypes).default('track').describe('Type of the events; `track` by default.'),
  granularity: z
    .enum(granularities)
    .default('day')
    .describe('Length of a bucket; `day` by default. Weeks begin on Monday.'),
  from: rangeParameters.from.describe(
    'Start of the range, moved back to a whole hour. By default 48 hours, 30 days or 26 weeks before `to`.',
  ),
  to: rangeParameters.to.describe('End of the range, moved on to a whole hour; now by default.'),
  timezone: timezoneParameter,
  breakdown: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Top-level property whose values are the series; with one event alone.'),
});
export type TrendQuery = z.output<typeof trendQuery>;

const counts = { events: z.int(), users: z.int() };

const bucketSchema = z
  .string()
  .meta({ pattern: '^\\d{4}-\\d{2}-\\d{2}(T.*Z)?$', examples: ['2026-11-22'] })
  .describe('First day of the bucket as a date of the time zone; by hour, its start.');

export const trendsSchema = z
  .object({
    range: z.object({ from: z.string(), to: z.string() }),
    granularity: z.enum(granularities),
    timezone: z.string(),
    breakdown: z.string().nullable(),
    series: z.array(
      z.object({
        event: z.string(),
        type: z.enum(countedTypes),
        group: z
          .object({
            type: z.enum(['value', 'missing', 'other']),
            value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
          })
          .nullable(),
        complete_from: z.string().nullable(),
        data: z.array(z.object({ bucket: bucketSchema, ...counts })),
        total: z.object(counts),
      }),
    ),
    complete_through: z.string(),
    source: z.enum(['raw', 'hourly', 'mixed']),
    users_estimated: z.boolean(),
    aligned: z.enum(['exact', 'hour']),
    names_truncated: z.boolean(),
    releases: z.array(
      z.object({
        release_id: z.string(),
        version: z.string(),
        name: z.string().nullable(),
        released_at: z.string(),
      }),
    ),
  })
  .meta({ title: 'Trends' });
export type TrendsView = z.infer<typeof trendsSchema>;
export type SeriesView = TrendsView['series'][number];

export const eventNameQuery = {
  from: rangeParameters.from.describe('Start of the range, moved back to a whole hour; by default 7 days before `to`.'),
  to: rangeParameters.to.describe('End of the range, moved on to a whole hour; now by default.'),
  type: z.enum(countedTypes).optional().describe('Only events of this type.'),
  q: z.string().min(1).max(limits.nameLength).optional().describe('Part of the name, in any case.'),
};

export const eventNameSchema = z
  .object({
    name: z.string(),
    type: z.enum(countedTypes),
    count: z.int(),
    users: z.int(),
    users_estimated: z.boolean(),
    first_seen_at: z.string().nullable(),
    last_seen_at: z.string().nullable(),
  })
  .meta({ title: 'EventName' });
