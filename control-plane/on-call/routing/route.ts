import { z } from 'zod';
import { minuteMs } from '#shared/duration.ts';
import { alertKinds, severities } from '#shared/vocabulary.ts';
import { noticeKinds } from '../../monitoring/notices/notice.ts';
import { readOnlyKey, refuseRepeats } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { isTimezone } from '../../platform/local-time.ts';
import { selectorField } from '../../platform/selectors/schema.ts';
import type { RouteRules } from './group-state.ts';
import { weekdays } from './quiet-hours.ts';

const distinct = <Item extends z.ZodType<string>>(item: Item, max: number) =>
  z
    .array(item)
    .max(max)
    .superRefine((items, context) => refuseRepeats(items as string[], context));

const matchSchema = z.object({
  selector: selectorField
    .nullable()
    .default(null)
    .describe('Label selector for the labels of the alert; null for all alerts.'),
  severities: distinct(z.enum(severities), 3).default([]).describe('Only alerts with these values; empty for all.'),
  kinds: distinct(z.enum(alertKinds), alertKinds.length)
    .default([])
    .describe('Only alerts with these values; empty for all.'),
  notices: distinct(z.enum(noticeKinds), noticeKinds.length)
    .default([])
    .describe('Kinds of notices; empty for none. A route with a selector gets none.'),
});

const stepSchema = z.object({
  after_minutes: z.int().min(0).max(1440),
  channel_ids: z.array(z.string().max(64)).min(1).max(20).superRefine(refuseRepeats),
});

const stepsSchema = z
  .array(stepSchema)
  .min(1)
  .max(10)
  .superRefine((steps, context) => {
    for (const [index, { after_minutes: after }] of steps.entries()) {
      const before = steps[index - 1]?.after_minutes ?? -1;
      const message = index === 0 ? 'must be 0 in the first step' : 'must be more than in the step before';
      if (index === 0 ? after !== 0 : after <= before)
        context.addIssue({ code: 'custom', path: [index, 'after_minutes'], params: { code: 'out_of_range' }, message });
    }
  });

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM');
const quietSchema = z.object({
  timezone: z
    .string()
    .max(64)
    .refine(isTimezone, { params: { code: 'format' }, message: 'must be a time zone such as Europe/Berlin' }),
  days: distinct(z.enum(weekdays), 7)
    .min(1)
    .default([...weekdays]),
  from: clock,
  to: clock.describe('Local time at which quiet hours end; equal to `from`: the whole day.'),
  except_severities: distinct(z.enum(severities), 3).default(['p1']),
});

const fields = {
  name: lineSchema(100),
  enabled: z.boolean(),
  match: matchSchema,
  continue: z.boolean().describe('Whether later routes are evaluated as well.'),
  steps: stepsSchema,
  remind_every_minutes: z.int().min(5).max(1440).nullable(),
  quiet_hours: quietSchema.nullable(),
};
const readOnly = {
  [readOnlyKey]: ['id', 'project_id', 'key', 'managed_by', 'position', 'created_at', 'updated_at'],
};

export const routePostSchema = z
  .object({
    ...fields,
    enabled: fields.enabled.default(true),
    match: fields.match.default({ selector: null, severities: [], kinds: [], notices: [] }),
    continue: fields.continue.default(false),
    remind_every_minutes: fields.remind_every_minutes.default(null),
    quiet_hours: fields.quiet_hours.default(null),
  })
  .meta(readOnly);
export type RoutePost = z.output<typeof routePostSchema>;

export const routePatchSchema = z.object(fields).partial().meta(readOnly);
export type RoutePatch = z.output<typeof routePatchSchema>;

export const routeSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    key: z.string().nullable(),
    managed_by: z.string().nullable(),
    ...fields,
    position: z.int().describe('Position in the list, from 0. Routes are evaluated in this order.'),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ title: 'Route' });
export type RouteView = z.infer<typeof routeSchema>;

/** What decides when a route does what. */
export function rulesOf(
  route: Pick<RouteView, 'id' | 'enabled' | 'steps' | 'remind_every_minutes' | 'quiet_hours'>,
): RouteRules {
  const { quiet_hours: quiet, remind_every_minutes: remind } = route;
  return {
    id: route.id,
    enabled: route.enabled,
    steps: route.steps.map(step => ({ afterMs: step.after_minutes * minuteMs, channelIds: step.channel_ids })),
    remindMs: remind === null ? null : remind * minuteMs,
    quiet,
    exceptSeverities: quiet?.except_severities ?? [],
  };
}
