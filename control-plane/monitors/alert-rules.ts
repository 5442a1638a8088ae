import { z } from 'zod';
import { severities } from '#shared/vocabulary.ts';

const flapSchema = z.object({ changes: z.int().min(3).max(50), window_seconds: z.int().min(300).max(86_400) });

const degradedSchema = z.object({
  after_seconds: z.int().min(0).max(86_400).default(300),
  severity: z.enum(severities).default('p3'),
});

export const alertRulesSchema = z
  .object({
    confirm_seconds: z
      .int()
      .min(0)
      .max(3600)
      .default(0)
      .describe('how long the monitor must be down before an alert opens'),
    recover_seconds: z
      .int()
      .min(0)
      .max(86_400)
      .default(0)
      .describe('how long it must be up again before the alert resolves'),
    flap: flapSchema
      .nullable()
      .default(null)
      .describe('after this many changes to down within the window the alert stays open until the window is quiet'),
    degraded: degradedSchema.nullable().default(null).describe('opens an alert of kind `degraded`; null: never'),
  })
  .describe('when alerts open and resolve');
export type AlertRules = z.output<typeof alertRulesSchema>;

export const defaultAlertRules: AlertRules = alertRulesSchema.parse({});

/** The rules in a row, which may be from a version that did not know all of them. */
export function toAlertRules(stored: unknown): AlertRules {
  return alertRulesSchema.parse(stored);
}
