import { z } from 'zod';
import { readOnlyKey } from '../http/bodies/validate.ts';
import { lineSchema } from '../http/line.ts';
import { resources } from '../project-limits/quota.ts';
import { originSchema } from './origin.ts';

export const plans = ['pro', 'team', 'agency', 'business', 'enterprise'] as const;
export type Plan = (typeof plans)[number];

/** Days that raw events are stored. */
export function eventRetentionDays(plan: Plan): number {
  return plan === 'pro' ? 30 : 90;
}

const groupingSchema = z
  .object({
    wait_seconds: z
      .int()
      .min(0)
      .max(120)
      .default(5)
      .describe('Seconds that the first message is delayed to collect more alerts.'),
    join_seconds: z
      .int()
      .min(10)
      .max(3600)
      .default(300)
      .describe('Seconds after an alert in which the next may join its group.'),
  })
  .describe('How alerts with one cause are grouped into one message.');

const silentSeconds = z.int().min(60).max(86_400).nullable().default(300);
const noticesSchema = z
  .object({
    region_silent_after_seconds: silentSeconds.describe(
      'Seconds after the last vote of a region expired until the region is reported silent; null disables ' + 'it.',
    ),
    agent_silent_after_seconds: silentSeconds.describe(
      'Seconds without a heartbeat after which an agent is reported silent; null disables it.',
    ),
  })
  .describe('When a silent region or agent opens a notice.');

const linkSessionsSchema = z
  .boolean()
  .describe('Whether events without a user count for the user that their session names first; false by default.');

const projectSchema = z.object({
  id: z.string(),
  name: z.string(),
  plan: z.enum(plans),
  event_retention_days: z.int(),
  ingest_limits: z.object({ sustained_per_second: z.int(), burst_per_second: z.int(), burst_seconds: z.int() }),
  allowed_origins: z.array(z.string()),
  grouping: groupingSchema,
  notices: noticesSchema,
  link_sessions: linkSessionsSchema,
  created_at: z.string(),
});
export type Project = z.infer<typeof projectSchema>;

/** A project as the API shows it. */
export const projectViewSchema = projectSchema
  .extend({
    quotas: z
      .array(z.object({ resource: z.enum(resources), maximum: z.int(), used: z.int() }))
      .describe('Quotas of the project and their use. The operator can raise a quota.'),
  })
  .meta({ title: 'Project' });
export type ProjectView = z.infer<typeof projectViewSchema>;

export const projectPatchSchema = z
  .object({
    name: lineSchema(200).optional(),
    allowed_origins: z.array(originSchema).max(100).optional(),
    grouping: groupingSchema.optional(),
    notices: noticesSchema.optional(),
    link_sessions: linkSessionsSchema.optional(),
  })
  .meta({ [readOnlyKey]: ['id', 'plan', 'event_retention_days', 'ingest_limits', 'quotas', 'created_at'] });
