import { z } from 'zod';
import { assertionsSchema } from '#shared/assertions/expressions.ts';
import type { MonitorKind } from '#shared/checks/vocabulary.ts';
import { severities } from '#shared/vocabulary.ts';
import { readOnlyKey, refuseRepeats } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { variants } from '../../platform/openapi/variants.ts';
import { alertRulesSchema, defaultAlertRules } from './alert-rules.ts';
import { authSchema } from './auth/auth.ts';
import { egressSchema } from './egress/egress.ts';
import { intervalOf } from './heartbeats/expected.ts';
import type { DomainSettings } from './kinds/domain.ts';
import { httpVersionSchema, shownHttpVersion } from './kinds/http-version.ts';
import { kindSchema } from './kinds/kind-schema.ts';
import { kindOf, kindOfUrl, kinds } from './kinds/kinds.ts';
import { sentVariants } from './kinds/variants.ts';
import { labelsSchema } from './labels/labels.ts';
import { headersSchema } from './secrets/header-rules.ts';
import { urlLengthMax } from './url.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** What the API shows as a monitor's status. */
export const monitorStatuses = ['up', 'degraded', 'down', 'undetermined', 'pending', 'paused'] as const;

/** The longest interval of any kind; each has its own bounds. */
const intervalMaxSeconds = 31_622_400;

/** Days that a deleted monitor's history can be read, and the monitor revived by its name. */
export const revivalDays = 30;

const urlSchema = z
  .string()
  .overwrite(text => (text.length > urlLengthMax ? text : ruleOf(text).encodedUrl(text)))
  .max(urlLengthMax)
  .superRefine((text, context) => {
    const error = ruleOf(text).urlError(text);
    if (error !== null) context.addIssue({ code: 'custom', params: { code: 'format' }, message: error });
  })
  .describe(
    'URL of the kind’s scheme, without credentials. Of http, https, ws and wss, blanks and similar characters ' +
      'in path and query are percent-encoded.',
  );

/** A URL of no kind is refused as one of HTTP is. */
function ruleOf(url: string) {
  return kindOf(kindOfUrl(url) ?? 'http');
}

/** An object of a kind; null stands for its defaults. */
const ownFields = {
  tcp: kinds.tcp.own.nullable(),
  tls: kinds.tls.own.nullable(),
  dns: kinds.dns.own.nullable(),
  ping: kinds.ping.own.nullable(),
  grpc: kinds.grpc.own.nullable(),
  websocket: kinds.websocket.own.nullable(),
  heartbeat: kinds.heartbeat.own.nullable(),
  multistep: kinds.multistep.own.nullable(),
  events: kinds.events.own.nullable(),
};
export type OwnName = keyof typeof ownFields | 'domain';
export const ownNames = [...Object.keys(ownFields), 'domain'] as OwnName[];

export const alertPolicySchema = z
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

/** The settings that monitors of all kinds have. */
export const monitorFields = {
  name: lineSchema(200),
  url: urlSchema,
  method: z.enum(methods),
  interval_seconds: z.int().min(10).max(intervalMaxSeconds),
  timeout_ms: z.int().min(500).max(60_000).nullable(),
  regions: z.array(z.string().max(64)).max(32).superRefine(refuseRepeats),
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

const optionalOwn = z.object(ownFields).partial().shape;

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
    'domain',
    'config_version',
    'rules_version',
    'created_at',
    'updated_at',
    'warnings',
  ],
};

const postFields = {
  ...monitorFields,
  method: monitorFields.method.default('GET'),
  timeout_ms: monitorFields.timeout_ms.default(null),
  quorum: monitorFields.quorum.default(null),
  assertions: monitorFields.assertions.default([]),
  headers: monitorFields.headers.default({}),
  body: monitorFields.body.default(null),
  follow_redirects: monitorFields.follow_redirects.default(true),
  alert_policy: monitorFields.alert_policy.default(defaultAlertPolicy),
  alert_rules: monitorFields.alert_rules.default(defaultAlertRules),
  component_ids: monitorFields.component_ids.default([]),
  labels: monitorFields.labels.default({}),
  enabled: monitorFields.enabled.default(true),
  url: monitorFields.url.optional().describe('Left out for kinds that take none.'),
  interval_seconds: monitorFields.interval_seconds.optional(),
  regions: monitorFields.regions.optional(),
  kind: kindSchema.optional(),
  auth: authSchema.nullable().optional(),
  egress: egressSchema.nullable().optional(),
  http_version: httpVersionSchema.optional(),
  ...optionalOwn,
};

/** Body of POST; omitted fields take their default. */
export const monitorPostSchema = z
  .object(postFields)
  .meta(readOnly)
  .register(variants, { property: 'kind', of: sentVariants('Create') });

const { name: _unnamed, ...testFields } = postFields;
/** Body of a test: as of POST, for at most eight regions. */
export const monitorTestSchema = z
  .object({
    ...testFields,
    regions: z.array(z.string().max(64)).max(8).superRefine(refuseRepeats).optional(),
    monitor_id: z
      .string()
      .max(40)
      .optional()
      .describe('ID of the monitor whose stored headers and body replace those sent as `"********"`.'),
  })
  .meta(readOnly)
  .register(variants, { property: 'kind', of: sentVariants('Test') });
export type Tested = z.output<typeof monitorTestSchema>;
/** Settings to try, which are of a kind that agents check. */
export type MonitorTest = Whole<Tested>;

type Posted = z.output<typeof monitorPostSchema>;
/** What kinds that agents check need, and others may not take. */
type Given = 'url' | 'interval_seconds' | 'regions';
type Whole<Body extends { [Name in Given]?: unknown }> = Omit<Body, Given> & {
  [Name in Given]: NonNullable<Body[Name]>;
};
/** Everything a client can set on a monitor. What its kind does not take is empty. */
export type MonitorSettings = Whole<Posted> & { domain?: DomainSettings | null };

/** Settings with the kind and its own object, which a body may leave out or give as null, and what the kind says. */
export function withKind(settings: Posted): MonitorSettings {
  const { url = '', regions = [] } = settings;
  const kind = settings.kind ?? kindOfUrl(url) ?? 'http';
  const { own: schema, withoutAgents, urlOf, ownOf, completed, intervalOf: usualInterval } = kindOf(kind);
  const given = kind === 'http' || kind === 'domain' ? null : settings[kind];
  const whole = kind === 'http' ? null : (ownOf?.(url) ?? given ?? schema.parse({}));
  const own = whole === null ? null : (completed?.(whole) ?? whole);
  const interval = settings.interval_seconds ?? usualInterval?.(own) ?? 0;
  return {
    ...withoutOwn(settings),
    url: urlOf?.(own) ?? url,
    regions,
    interval_seconds: withoutAgents?.intervalSeconds ?? intervalOf(settings.heartbeat) ?? interval,
    kind,
    auth: settings.auth ?? null,
    egress: settings.egress ?? null,
    http_version: shownHttpVersion({ ...settings, kind }),
    ...(own === null ? {} : { [kind]: own }),
  };
}

/** Settings without the object of any kind. */
export function withoutOwn<Settings extends object>(settings: Settings): Omit<Settings, OwnName> {
  const others: Partial<Record<OwnName, unknown>> = { ...settings };
  for (const name of ownNames) delete others[name];
  return others as Omit<Settings, OwnName>;
}

/** How requests go out, of which null stands for the usual. */
const wayFields = { auth: authSchema.nullable(), egress: egressSchema.nullable(), http_version: httpVersionSchema };

/** Body of PATCH: only the fields to change. */
export const monitorPatchSchema = z
  .object({ ...monitorFields, kind: kindSchema, ...wayFields, ...ownFields })
  .partial()
  .meta(readOnly);
export type MonitorPatch = z.output<typeof monitorPatchSchema>;

const { name: _name, url: _url, ...commonFields } = monitorFields;
/** What a bulk call may patch: not what tells monitors apart. */
export const bulkPatchSchema = z
  .object({ ...commonFields, ...wayFields, ...ownFields })
  .partial()
  .meta(readOnly);

/** Deadline of one attempt: as the kind or the monitor says, else 30 s or the interval if that is shorter. */
export function effectiveTimeoutMs(settings: {
  kind?: MonitorKind | undefined;
  timeout_ms: number | null;
  interval_seconds: number;
}): number {
  const fixed = settings.kind === undefined ? undefined : kindOf(settings.kind).withoutAgents?.timeoutMs;
  if (fixed !== undefined) return fixed;
  return settings.timeout_ms ?? Math.min(30_000, settings.interval_seconds * 1000);
}

/** The quorum as set, else a majority of the regions. */
export function effectiveQuorum(settings: { quorum: number | null; regions: readonly string[] }): number {
  return settings.quorum ?? Math.floor(settings.regions.length / 2) + 1;
}
