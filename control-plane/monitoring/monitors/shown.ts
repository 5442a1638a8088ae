import { z } from 'zod';
import { partialAddressesSchema } from '#shared/checks/addresses.ts';
import { monitorKinds } from '#shared/checks/vocabulary.ts';
import { unknownVoteReasons } from '#shared/vocabulary.ts';
import { variants } from '../../platform/openapi/variants.ts';
import { shownAlertRulesSchema } from './alert-rules.ts';
import { authSchema } from './auth/auth.ts';
import { shownDomainSchema } from './domains/view.ts';
import { shownEgressSchema } from './egress/egress.ts';
import { shownHeartbeatSchema } from './heartbeats/shown.ts';
import { httpVersionSchema } from './kinds/http-version.ts';
import { kinds } from './kinds/kinds.ts';
import { shownVariants } from './kinds/variants.ts';
import { alertPolicySchema, monitorFields, monitorStatuses } from './monitor.ts';
import { unableRegionSchema } from './state/unable.ts';

const warningSchema = z.object({
  pointer: z.string(),
  code: z.enum(['address_not_public', 'no_registry', 'flow_deleted']),
  detail: z.string(),
});
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

const voteSchema = z
  .object({
    region: z.string(),
    vote: z.enum(['up', 'warn', 'down', 'unknown']),
    since: z.string().nullable().describe('Time when the region began to vote like this.'),
    as_of: z.string().nullable().describe('Time when the check ended that cast or refreshed the vote.'),
    reason: z.enum(unknownVoteReasons).nullable().describe('Why the vote is unknown; null if it is known.'),
    partial_addresses: partialAddressesSchema
      .nullable()
      .describe('Addresses of the name that do not all answer, with `egress.addresses` `each`; null if all do.'),
  })
  .meta({ title: 'Vote' });

/** A monitor as the API shows it. */
export const monitorSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    key: z.string().nullable(),
    managed_by: z.string().nullable(),
    kind: z.enum(monitorKinds),
    ...monitorFields,
    url: z.string(),
    auth: authSchema.nullable().describe('How checks sign in at their target; null: not at all.'),
    egress: shownEgressSchema.nullable().describe('How checks go out; null: as usual.'),
    http_version: httpVersionSchema.describe('Version of HTTP of the requests; null for kinds that have none.'),
    tcp: kinds.tcp.own.optional(),
    tls: kinds.tls.own.optional(),
    dns: kinds.dns.own.optional(),
    ping: kinds.ping.own.optional(),
    grpc: kinds.grpc.own.optional(),
    websocket: kinds.websocket.own.optional(),
    heartbeat: shownHeartbeatSchema.optional(),
    domain: shownDomainSchema.optional(),
    multistep: kinds.multistep.own.optional(),
    events: kinds.events.own.optional(),
    timeout_ms: z.int(),
    quorum: z.int(),
    alert_policy: alertPolicySchema,
    alert_rules: shownAlertRulesSchema,
    status: z.enum(monitorStatuses),
    status_since: z.string(),
    votes: z.array(voteSchema),
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
        'Warnings about settings that are valid but probably unintended; present in responses of POST and PATCH, ' +
          'and of GET if what the monitor counts was deleted.',
      ),
  })
  .meta({ title: 'Monitor' })
  .register(variants, { property: 'kind', of: shownVariants });
