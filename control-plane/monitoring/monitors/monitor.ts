import { z } from 'zod';
import { assertionsSchema } from '#shared/assertions/expressions.ts';
import { severities, unknownVoteReasons } from '#shared/vocabulary.ts';
import { readOnlyKey, refuseRepeats } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { alertRulesSchema, defaultAlertRules } from './alert-rules.ts';
import { labelsSchema } from './labels/labels.ts';
import { headersSchema } from './secrets/header-rules.ts';
import { unableRegionSchema } from './state/unable.ts';
import { encodedUrl, urlError, urlLengthMax } from './url.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** What the API shows as a monitor's status. */
export const monitorStatuses = ['up', 'degraded', 'down', 'undetermined', 'pending', 'paused'] as const;

/** Kinds of checks. */
export const monitorKinds = ['http'] as const;

/** Days that a deleted monitor's history can be read, and the monitor revived by its name. */
export const revivalDays = 30;

const urlSchema = z
  .string()
  .overwrite(encodedUrl)
  .max(urlLengthMax)
  .superRefine((text, context) => {
    const error = urlError(text);
    if (error !== null) context.addIssue({ code: 'custom', params: { code: 'format' }, message: error });
  })
  .describe(
    'URL with the scheme http or https, without credentials. Blanks and similar characters in path and ' +
      'query are percent-encoded.',
  );

const alertPolicySchema = z
  .object({
    severity: z.enum(severities).default('p2'),
    slack_channel: z
      .string()
      .regex(/^(#[^\s#@,]{1,80}|[A-Z0-9]{2,32})$/, 'must be #name or a channel ID')
      .nullable()
      .default(null),
    escalate_after_minutes: z.int().min(1).max(1440).nullable().default(null),
  })
  .meta({ title: 'AlertPolicy' });
export type AlertPolicy = z.infer<typeof alertPolicySchema>;
export const defaultAlertPolicy: AlertPolicy = { severity: 'p2', slack_channel: null, escalate_after_minutes: null };

const fields = {
  name: lineSchema(200),
  url: urlSchema,
  method: z.enum(methods),
  interval_seconds: z.int().min(10).max(86_400),
  timeout_ms: z.int().min(500).max(60_000).nullable(),
  regions: z.array(z.string().max(64)).min(1).max(32).superRefine(refuseRepeats),
  quorum: z.int().min(1).max(32).nullable(),
  assertions: assertionsSchema,
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
  alert_rules: alertRulesSchema.nullable(),
  component_ids: z.array(z.string().max(64)).max(100).superRefine(refuseRepeats),
  labels: labelsSchema,
  enabled: z.boolean(),
};

const readOnly = {
  [readOnlyKey]: [
    'id',
    'project_id',
    'key',
    'managed_by',
    'status',
    'status_since',
    'votes',
    'maintenance',
    'unable_regions',
    'config_version',
    'rules_version',
    'created_at',
    'updated_at',
    'warnings',
  ],
};

const postFields = {
  ...fields,
  method: fields.method.default('GET'),
  timeout_ms: fields.timeout_ms.default(null),
  quorum: fields.quorum.default(null),
  assertions: fields.assertions.default([]),
  headers: fields.headers.default({}),
  body: fields.body.default(null),
  follow_redirects: fields.follow_redirects.default(true),
  alert_policy: fields.alert_policy.default(defaultAlertPolicy),
  alert_rules: fields.alert_rules.default(defaultAlertRules),
  component_ids: fields.component_ids.default([]),
  labels: fields.labels.default({}),
  enabled: fields.enabled.default(true),
};

/** Body of POST; omitted fields take their default. */
export const monitorPostSchema = z.object(postFields).meta(readOnly);

const { name: _unnamed, ...testFields } = postFields;
/** Body of a test: as of POST, for at most eight regions. */
export const monitorTestSchema = z
  .object({
    ...testFields,
    regions: z.array(z.string().max(64)).min(1).max(8).superRefine(refuseRepeats),
    monitor_id: z
      .string()
      .max(40)
      .optional()
      .describe('ID of the monitor whose stored headers and body replace those sent as `"********"`.'),
  })
  .meta(readOnly);
export type MonitorTest = z.output<typeof monitorTestSchema>;

/** Everything a client can set on a monitor. */
export type MonitorSettings = z.output<typeof monitorPostSchema>;

/** Replaces a policy and rules of null with the default ones. */
export function withDefaultPolicy<Settings extends Partial<Pick<MonitorPatch, 'alert_policy' | 'alert_rules'>>>(
  settings: Settings,
): Settings {
  return {
    ...settings,
    ...(settings.alert_policy === null ? { alert_policy: defaultAlertPolicy } : {}),
    ...(settings.alert_rules === null ? { alert_rules: defaultAlertRules } : {}),
  };
}

/** Body of PATCH: only the fields to change. */
export const monitorPatchSchema = z.object(fields).partial().meta(readOnly);
export type MonitorPatch = z.output<typeof monitorPatchSchema>;

const { name: _name, url: _url, ...commonFields } = fields;
/** What a bulk call may patch: not what tells monitors apart. */
export const bulkPatchSchema = z.object(commonFields).partial().meta(readOnly);

const warningSchema = z.object({ pointer: z.string(), code: z.enum(['address_not_public']), detail: z.string() });
export type MonitorWarning = z.infer<typeof warningSchema>;

/** What lists show of a monitor beside its state. */
const summarySchema = z
  .object({
    uptime_30d: z
      .number()
      .nullable()
      .describe('Share of the observed time that was not down; null if nothing was observed.'),
    p95_ms: z
      .number()
      .nullable()
      .describe('95th percentile of the latency of successful checks in the last 24 hours, in milliseconds.'),
    hourly_latency_ms: z
      .array(z.number().nullable())
      .describe(
        'Average latency of each of the last 24 hours, oldest first; null for an hour without a successful ' + 'check.',
      ),
    hourly_error_rate: z
      .array(z.number().nullable())
      .describe(
        'Share of the checks of each of the last 24 hours that failed, oldest first; null for an hour without checks.',
      ),
  })
  .meta({ title: 'MonitorSummary' });
export type Summary = z.infer<typeof summarySchema>;

/** A monitor as the API shows it. */
export const monitorSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    key: z.null().describe('Reserved; always null.'),
    managed_by: z.null().describe('Reserved; always null.'),
    ...fields,
    timeout_ms: z.int(),
    quorum: z.int(),
    alert_policy: alertPolicySchema,
    alert_rules: alertRulesSchema,
    status: z.enum(monitorStatuses),
    status_since: z.string(),
    votes: z.array(
      z.object({
        region: z.string(),
        vote: z.enum(['up', 'warn', 'down', 'unknown']),
        since: z.string().nullable().describe('Time when the region began to vote like this.'),
        as_of: z.string().nullable().describe('Time when the check ended that cast or refreshed the vote.'),
        reason: z.enum(unknownVoteReasons).nullable().describe('Why the vote is unknown; null if it is known.'),
      }),
    ),
    maintenance: z
      .object({ id: z.string(), occurrence_id: z.string(), ends_at: z.string() })
      .nullable()
      .describe('The maintenance window that the monitor is in; null if there is none.'),
    unable_regions: z
      .array(unableRegionSchema)
      .describe('Regions that cast no vote because no agent there can run the check.'),
    summary: summarySchema.optional().describe('Uptime and latency; present with `include=summary`.'),
    config_version: z.int(),
    rules_version: z.int().describe('Version of `alert_rules`, which increases with each change of them.'),
    created_at: z.string(),
    updated_at: z.string(),
    warnings: z
      .array(warningSchema)
      .optional()
      .describe(
        'Warnings about settings that are valid but probably unintended; present only in POST and PATCH ' +
          'responses.',
      ),
  })
  .meta({ title: 'Monitor' });

/** Deadline of one attempt: as set, else 30 s or the interval if that is shorter. */
export function effectiveTimeoutMs(settings: { timeout_ms: number | null; interval_seconds: number }): number {
  return settings.timeout_ms ?? Math.min(30_000, settings.interval_seconds * 1000);
}

/** The quorum as set, else a majority of the regions. */
export function effectiveQuorum(settings: { quorum: number | null; regions: readonly string[] }): number {
  return settings.quorum ?? Math.floor(settings.regions.length / 2) + 1;
}
