import { z } from 'zod';
import { alertKinds, severities, unknownVoteReasons, voteValues } from '#shared/vocabulary.ts';
import { checkResultSchema } from '../../checks/result.ts';
import { alertRulesSchema } from '../../monitors/alert-rules.ts';

const instant = z.string().nullable();

const clockSchema = z
  .object({
    last_good: instant.describe('end of the last good check in the region that failed first'),
    failing: instant.describe('start of its first failed attempt'),
    failed: instant.describe('end of that attempt'),
    reported: instant.describe('when its result arrived'),
    confirm_asked: instant.describe('when the other regions were asked to check at once'),
    confirmed: z
      .array(z.object({ region: z.string(), at: z.string() }))
      .describe('end of the attempt that turned each vote down'),
    quorum: instant.describe('when enough votes were down: `decided_at` of the verdict'),
    opens: z.string().describe('when the rules for alerts were met'),
    created: z.string(),
    told: instant.describe('when people were to be notified'),
    sent: instant.describe('when the first message was sent'),
    ms: z.record(z.string(), z.int()).describe('time since the instant before, by the name of the later one'),
    unseen_ms: z.int().nullable().describe('from `last_good` to `failing`: when the outage could not be seen'),
  })
  .meta({ title: 'AlertClock' });

const maintenanceSchema = z.object({
  id: z.string(),
  occurrence_id: z.string(),
  ends_at: z.string(),
  held_since: instant.describe('since when nobody was notified; null if the window holds nothing'),
  released_at: instant.describe('when people were notified after it'),
});

const groupSchema = z.object({
  id: z.string(),
  cause: z
    .object({ type: z.string(), value: z.string(), error_code: z.string().nullable() })
    .nullable()
    .describe('what its alerts have in common; null while there is one'),
  alerts: z.int().describe('how many it has'),
  opened_at: z.string(),
  told_at: instant.describe('when the first message was queued'),
  state: z.string(),
});

const explainedVoteSchema = z.object({
  region: z.string(),
  vote: z.enum(voteValues),
  since: instant,
  as_of: instant,
  expires_at: instant,
  age_ms: z.int().nullable().describe('from `as_of` to the decision'),
  counted: z.boolean(),
  why_not: z.enum(['quarantined', 'expired', 'no_result', ...unknownVoteReasons]).nullable(),
  check: checkResultSchema.nullable(),
});

const explainedCertificateSchema = z.object({
  region: z.string(),
  as_of: z.string().describe('end of the check that saw it'),
  valid_from: z.string(),
  valid_to: z.string(),
  days_left: z.number().describe('at `as_of`, exactly'),
  issuer: z.string().nullable(),
  subject: z.string().nullable(),
  fingerprint_sha256: z.string().nullable(),
  host: z.string().optional().describe('that showed it, if a redirect led there'),
  thresholds: z
    .array(z.object({ days_left: z.number(), severity: z.enum(severities), crossed: z.boolean() }))
    .describe('those that held for it'),
  check: checkResultSchema,
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
      .describe('of an alert of kind `certificate`: what each region saw last when it opened'),
    flips: z
      .array(z.object({ region: z.string(), vote: z.enum(['up', 'down', 'unknown']), verdict: z.string() }))
      .describe('single votes that would have changed the verdict'),
    maintenance: maintenanceSchema.nullable().describe('the window that it opened in, or was held by'),
    group: groupSchema.nullable().describe('the alerts that people were notified of together'),
    deliveries: z.array(
      z.object({ id: z.string(), channel: z.string(), state: z.string(), created_at: z.string(), sent_at: instant }),
    ),
    missing: z.array(z.object({ what: z.string(), why: z.string() })),
    clock: clockSchema,
  })
  .meta({ title: 'AlertExplanation' });
export type Explanation = z.infer<typeof explanationSchema>;
export type ExplainedCertificate = z.infer<typeof explainedCertificateSchema>;
export type ExplainedVote = z.infer<typeof explainedVoteSchema>;
