import { z } from 'zod';
import { isTimezone } from '../../../platform/local-time.ts';
import { parseRule, RuleError } from './rrule.ts';

const localTime = z
  .string()
  .max(30)
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/, 'must be a local time such as 2026-12-01T02:00:00, without an offset')
  .refine(isLocalTime, { params: { code: 'format' }, message: 'is not a date and time that exists' })
  .refine(text => text >= '2000' && text < '2100', {
    params: { code: 'out_of_range' },
    message: 'must be in a year from 2000 to 2099',
  });
const localDate = z
  .string()
  .max(10)
  .refine(text => /^\d{4}-\d\d-\d\d$/.test(text) && isLocalTime(`${text}T00:00:00`), {
    params: { code: 'format' },
    message: 'must be a date such as 2026-12-25',
  });

export const scheduleSchema = z
  .object({
    start: localTime.describe('Local time of the first occurrence, in a year from 2000 to 2099.'),
    timezone: z
      .string()
      .max(64)
      .refine(isTimezone, { params: { code: 'format' }, message: 'must be a time zone such as Europe/Berlin' }),
    duration_seconds: z.int().min(60).max(604_800),
    rrule: z.string().superRefine((text, context) => {
      const message = ruleError(text);
      if (message !== null) context.addIssue({ code: 'custom', params: { code: 'format' }, message });
    }),
    exclude: z.array(localDate).max(100).default([]).describe('Local dates on which there is no occurrence.'),
  })
  .meta({ title: 'MaintenanceSchedule' });

function ruleError(text: string): string | null {
  try {
    parseRule(text);
    return null;
  } catch (error) {
    if (error instanceof RuleError) return error.message;
    throw error;
  }
}

/** `Date` moves the 30th of February to March. */
function isLocalTime(text: string): boolean {
  const ms = Date.parse(`${text}Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
