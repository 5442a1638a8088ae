import { z } from 'zod';
import { partialAddressesSchema } from '#shared/checks/addresses.ts';
import { alertKinds, severities, unknownVoteReasons, voteValues } from '#shared/vocabulary.ts';
import { checkResultSchema } from '../../monitoring/checks/result.ts';
import { alertRulesSchema } from '../../monitoring/monitors/alert-rules.ts';

const instant = z.string().nullable();

const clockSchema = z
  .object({
    last_good: instant.describe(
      'Time when the last successful check ended in the region that failed first; null if there is none.',
    ),
    failing: instant.describe('Time when the first failed attempt started, in the region that failed first.'),
    failed: instant.describe('Time when the first failed attempt ended.'),
    reported: instant.describe('Time when the result of that attempt arrived.'),
    confirm_asked: instant.describe('Time when the other regions were asked to check at once; null if they were not.'),
    confirmed: z
      .array(z.object({ region: z.string(), at: z.string() }))
      .describe('For each region, the time when the attempt ended that turned its vote to down.'),
    quorum: instant.describe('Time when enough votes were down: `decided_at` of the verdict.'),
    opens: z.string().describe('Time when the alert rules were met.'),
    created: z.string(),
    told: instant.describe('Time when people were to be notified.'),
    sent: instant.describe('Time when the first message was sent.'),
    ms: z.record(z.string(), z.int()).describe('Milliseconds since the previous step, by the name of the later one.'),
    unseen_ms: z
      .int()
      .nullable()
      .describe('Milliseconds from `last_good` to `failing`, in which the outage could not be seen.'),
  })
  .meta({ title: 'AlertClock' });

const maintenanceSchema = z.object({
  id: z.string(),
  occurrence_id: z.string(),
  ends_at: z.string(),
  held_since: instant.describe('Time since which notifications have been delayed; null if they are not.'),
  released_at: instant.describe(
    'Time when delayed notifications were sent after the window; null if none were delayed.',
  ),
});

const groupSchema = z.object({
  id: z.string(),
  cause: z
    .object({ type: z.string(), value: z.string(), error_code: z.string().nullable() })
    .nullable()
    .describe('What the alerts have in common; null while there is only one.'),
  alerts: z.int().describe('Number of alerts in the group.'),
  opened_at: z.string(),
  told_at: instant.describe('Time when the first message was queued.'),
  state: z.string(),
});

const explainedVoteSchema = z.object({
  region: z.string(),
  vote: z.enum(voteValues),
  since: instant,
  as_of: instant,
  expires_at: instant,
  age_ms: z.int().nullable().describe('Time from `as_of` to the decision, in milliseconds.'),
  counted: z.boolean(),
  why_not: z.enum(['quarantined', 'expired', 'no_result', ...unknownVoteReasons]).nullable(),
  partial_addresses: partialAddressesSchema
    .nullable()
    .describe('Addresses of the name that did not all answer; null if all did.'),
  check: checkResultSchema.nullable(),
});

const explainedCertificateSchema = z.object({
  region: z.string(),
  as_of: z.string().describe('Time when the check ended that saw the certificate.'),
  valid_from: z.string(),
  valid_to: z.string(),
  days_left: z.number().describe('Days until it expires, counted from `as_of`.'),
  issuer: z.string().nullable(),
  subject: z.string().nullable(),
  fingerprint_sha256: z.string().nullable(),
  of: z.enum(['server', 'client']).describe('Whose it is: `client` is the `client_certificate` of the monitor.'),
  host: z.string().optional().describe('Host that presented the certificate, if a redirect led there.'),
  thresholds: z
    .array(z.object({ days_left: z.number(), severity: z.enum(severities), crossed: z.boolean() }))
    .describe('Thresholds in force when the alert opened.'),
  check: checkResultSchema,
});

const explainedDomainSchema = explainedCertificateSchema
  .pick({ days_left: true, thresholds: true, check: true })
  .extend({
    as_of: z.string().describe('Time of the lookup.'),
    name: z.string(),
    registrar: z.string().nullable(),
    ends_at: z.string(),
  });

export const explanationSchema = z
  .object({
    alert_id: z.string(),
    sentence: z.string(),
    rule: z.object({
      kind: z.enum(alertKinds),
      regions: z.array(z.string()),
      quorum: z.int(),
      config_version: z.int().nullable(),
      rules_version: z.int().nullable(),
      alert_rules: alertRulesSchema.nullable(),
    }),
    votes: z.array(explainedVoteSchema),
    certificates: z
      .array(explainedCertificateSchema)
      .describe('For an alert of kind `certificate`: the certificate that each region last saw when the alert opened.'),
    domain: explainedDomainSchema
      .nullable()
      .describe('For an alert of kind `domain`: what the registry said last when the alert opened; null for others.'),
    flips: z
      .array(z.object({ region: z.string(), vote: z.enum(['up', 'down', 'unknown']), verdict: z.string() }))
      .describe('Single votes that would have changed the verdict, had they been different.'),
    maintenance: maintenanceSchema
      .nullable()
      .describe('The maintenance window that the alert opened in or was delayed by; null if there is none.'),
    group: groupSchema.nullable().describe('The group of alerts that were sent as one message; null if there is none.'),
    deliveries: z.array(
      z.object({ id: z.string(), channel: z.string(), state: z.string(), created_at: z.string(), sent_at: instant }),
    ),
    missing: z.array(z.object({ what: z.string(), why: z.string() })),
    clock: clockSchema,
  })
  .meta({ title: 'AlertExplanation' });
export type Explanation = z.infer<typeof explanationSchema>;
export type ExplainedCertificate = z.infer<typeof explainedCertificateSchema>;
export type ExplainedDomain = z.infer<typeof explainedDomainSchema>;
export type ExplainedVote = z.infer<typeof explainedVoteSchema>;
