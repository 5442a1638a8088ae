import { z } from 'zod';
import { readOnlyKey } from '../../../platform/http/bodies/validate.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import { isTimezone } from '../../../platform/local-time.ts';
import { cronLengthMax, parseCron } from '../heartbeats/cron.ts';
import { cronIntervalSeconds } from '../heartbeats/expected.ts';
import type { Kind } from './kind.ts';

const weekSeconds = 604_800;
/** Keeps the alias that is stored at its place. */
const hiddenValue = '********';
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuid.test(text);
}

const aliasSchema = z
  .string()
  .refine(text => text === hiddenValue || uuid.test(text) || /^[A-Za-z0-9]{10,64}$/.test(text), {
    message: 'must be a UUID or 10 to 64 letters and digits',
  });

export const heartbeatSchema = z
  .object({
    cron: z
      .string()
      .max(cronLengthMax)
      .nullable()
      .default(null)
      .superRefine((text, context) => {
        const refuse = (code: string, message: string) =>
          context.addIssue({ code: 'custom', params: { code }, message });
        if (text === null) return;
        if (parseCron(text) === null) refuse('format', 'must be five fields of cron, such as `30 2 * * 1-5`');
        else if (cronIntervalSeconds(text, 'UTC') === null) refuse('out_of_range', 'must have a time within 366 days');
      })
      .describe('Five fields of cron; null if a success is expected each `interval_seconds`.'),
    timezone: z
      .string()
      .max(64)
      .refine(isTimezone, { message: 'must be a time zone of IANA, such as Europe/Berlin' })
      .default('UTC'),
    grace_seconds: z
      .int()
      .min(1)
      .max(weekSeconds)
      .nullable()
      .default(null)
      .describe(
        'How late a success may be; if not set a fifth of the interval, at least a minute and at most an hour.',
      ),
    max_run_seconds: z.int().min(1).max(weekSeconds).nullable().default(null),
    post_only: z.boolean().default(false),
    keep_output: z.boolean().default(true),
    slug: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,99}$/, 'must be lower-case letters, digits, hyphens and underscores')
      .nullable()
      .default(null),
    aliases: z.array(aliasSchema).max(5).default([]),
  })
  .meta({
    title: 'HeartbeatCheck',
    [readOnlyKey]: ['last_success_at', 'expected_at', 'deadline_at', 'running_since', 'advice'],
  });
export type HeartbeatSettings = z.output<typeof heartbeatSchema>;

function aliasErrors(aliases: readonly string[]): FieldError[] {
  return aliases.flatMap((alias, index): FieldError[] => {
    const isRepeated = alias !== hiddenValue && aliases.indexOf(alias) < index;
    return isRepeated
      ? [{ pointer: `/heartbeat/aliases/${index}`, code: 'not_allowed', detail: 'is given twice' }]
      : [];
  });
}

export const heartbeat: Kind<HeartbeatSettings> = {
  kind: 'heartbeat',
  schemes: [],
  own: heartbeatSchema,
  intervalMin: 30,
  intervalMax: 31_622_400,
  withoutAgents: { voter: 'heartbeat', timeoutMs: 30_000, takesUrl: false, intervalSeconds: null },
  assertions: ['run_seconds'],
  hasCertificate: false,
  egress: 'none',
  takesAuth: false,
  takesHttpVersion: false,
  encodedUrl: url => url,
  urlError: () => 'is not taken: it is made for the monitor',
  errors: ({ own: settings }) => aliasErrors(settings?.aliases ?? []),
  needs: () => [],
  check: () => null,
};
