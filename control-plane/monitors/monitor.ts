import { z } from 'zod';
import { assertionSchema, assertionsMax } from '#shared/assertions/assertion.ts';
import { readOnlyKey, refuseRepeats } from '../http/validate.ts';
import { headersSchema } from './header-rules.ts';

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export const severities = ['p1', 'p2', 'p3'] as const;
export type Severity = (typeof severities)[number];

/** Days a deleted monitor's history can be read, and brought back by its name. */
export const revivalDays = 30;

const urlSchema = z
  .string()
  .max(2048)
  .superRefine((text, context) => {
    const fault = urlFault(text);
    if (fault !== null) context.addIssue({ code: 'custom', params: { code: 'format' }, message: fault });
  })
  .describe('http or https, without credentials');

const alertPolicySchema = z.object({
  severity: z.enum(severities).default('p2'),
  slack_channel: z
    .string()
    .regex(/^(#[^\s#@,]{1,80}|[A-Z0-9]{2,32})$/, 'must be #name or a channel id')
    .nullable()
    .default(null),
  escalate_after_minutes: z.int().min(1).max(1440).nullable().default(null),
});
export type AlertPolicy = z.infer<typeof alertPolicySchema>;
export const defaultAlertPolicy: AlertPolicy = { severity: 'p2', slack_channel: null, escalate_after_minutes: null };

const fields = {
  name: z.string().trim().min(1).max(200),
  url: urlSchema,
  method: z.enum(methods),
  interval_seconds: z.int().min(10).max(86_400),
  timeout_ms: z.int().min(500).max(60_000).nullable(),
  regions: z.array(z.string().max(64)).min(1).max(32).superRefine(refuseRepeats),
  quorum: z.int().min(1).max(32).nullable(),
  assertions: z.array(assertionSchema).max(assertionsMax),
  headers: headersSchema,
  body: z
    .string()
    .refine(text => Buffer.byteLength(text) <= 65_536, {
      params: { code: 'too_long' },
      message: 'must have at most 65536 bytes',
    })
    .nullable(),
  follow_redirects: z.boolean(),
  alert_policy: alertPolicySchema.nullable(),
  component_ids: z.array(z.string().max(64)).max(100).superRefine(refuseRepeats),
  enabled: z.boolean(),
};

const readOnly = {
  [readOnlyKey]: ['id', 'project_id', 'status', 'status_since', 'votes', 'config_version', 'created_at', 'updated_at'],
};

/** Body of POST: what is left out takes its default. */
export const monitorPostSchema = z
  .object({
    ...fields,
    method: fields.method.default('GET'),
    timeout_ms: fields.timeout_ms.default(null),
    quorum: fields.quorum.default(null),
    assertions: fields.assertions.default([]),
    headers: fields.headers.default({}),
    body: fields.body.default(null),
    follow_redirects: fields.follow_redirects.default(true),
    alert_policy: fields.alert_policy.default(defaultAlertPolicy),
    component_ids: fields.component_ids.default([]),
    enabled: fields.enabled.default(true),
  })
  .meta(readOnly);

/** All that a client sets of a monitor. */
export type MonitorSettings = z.output<typeof monitorPostSchema>;

/** Body of PATCH: only what is to change. */
export const monitorPatchSchema = z.object(fields).partial().meta(readOnly);
export type MonitorPatch = z.output<typeof monitorPatchSchema>;

/** A monitor as the API shows it. */
export const monitorSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    ...fields,
    timeout_ms: z.int(),
    quorum: z.int(),
    alert_policy: alertPolicySchema,
    status: z.enum(['up', 'degraded', 'down', 'undetermined', 'pending', 'paused']),
    status_since: z.string(),
    votes: z.array(
      z.object({ region: z.string(), vote: z.enum(['up', 'warn', 'down', 'unknown']), as_of: z.string().nullable() }),
    ),
    config_version: z.int(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ title: 'Monitor' });

/** The deadline of one attempt: as set, else 30 s but never more than the interval. */
export function effectiveTimeoutMs(settings: { timeout_ms: number | null; interval_seconds: number }): number {
  return settings.timeout_ms ?? Math.min(30_000, settings.interval_seconds * 1000);
}

/** As set, else the majority. */
export function effectiveQuorum(settings: { quorum: number | null; regions: readonly string[] }): number {
  return settings.quorum ?? Math.floor(settings.regions.length / 2) + 1;
}

function urlFault(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'must be an http or https URL';
  const url = new URL(text);
  return url.username === '' && url.password === '' ? null : 'must not contain credentials: send them as a header';
}
