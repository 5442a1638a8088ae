import { z } from 'zod';
import { readOnlyKey } from '../http/bodies/validate.ts';
import { lineSchema } from '../http/line.ts';
import { resources } from '../shares/quota.ts';
import { originSchema } from './origin.ts';

export const plans = ['pro', 'team', 'agency', 'business', 'enterprise'] as const;
export type Plan = (typeof plans)[number];

/** Days that raw events are stored. */
export function eventRetentionDays(plan: Plan): number {
  return plan === 'pro' ? 30 : 90;
}

const groupingSchema = z
  .object({
    wait_seconds: z.int().min(0).max(120).default(5).describe('how long the first message waits for more alerts'),
    join_seconds: z
      .int()
      .min(10)
      .max(3600)
      .default(300)
      .describe('how long after an alert the next may join its group'),
  })
  .describe('of alerts with one cause into one message');

const silentSeconds = z.int().min(60).max(86_400).nullable().default(300);
const noticesSchema = z
  .object({
    region_silent_after_seconds: silentSeconds.describe('after the last vote of a region expired; null: never'),
    agent_silent_after_seconds: silentSeconds.describe('after the last sign of life of an agent; null: never'),
  })
  .describe('when silence opens a notice');

const projectSchema = z.object({
  id: z.string(),
  name: z.string(),
  plan: z.enum(plans),
  event_retention_days: z.int(),
  ingest_limits: z.object({ sustained_per_second: z.int(), burst_per_second: z.int(), burst_seconds: z.int() }),
  allowed_origins: z.array(z.string()),
  grouping: groupingSchema,
  notices: noticesSchema,
  created_at: z.string(),
});
export type Project = z.infer<typeof projectSchema>;

/** A project as the API shows it. */
export const projectViewSchema = projectSchema
  .extend({
    quotas: z
      .array(z.object({ resource: z.enum(resources), maximum: z.int(), used: z.int() }))
      .describe('what the project may have and has; the operator can raise a maximum'),
  })
  .meta({ title: 'Project' });
export type ProjectView = z.infer<typeof projectViewSchema>;

export const projectPatchSchema = z
  .object({
    name: lineSchema(200).optional(),
    allowed_origins: z.array(originSchema).max(100).optional(),
    grouping: groupingSchema.optional(),
    notices: noticesSchema.optional(),
  })
  .meta({ [readOnlyKey]: ['id', 'plan', 'event_retention_days', 'ingest_limits', 'quotas', 'created_at'] });
