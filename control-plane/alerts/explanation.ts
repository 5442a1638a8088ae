import { z } from 'zod';
import { unknownVoteReasons, voteValues } from '#shared/vocabulary.ts';
import { checkResultSchema } from '../checks/result.ts';
import { alertRulesSchema } from '../monitors/alert-rules.ts';

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

export const explanationSchema = z
  .object({
    alert_id: z.string(),
    sentence: z.string(),
    rule: z.object({
      kind: z.enum(['down', 'degraded']),
      regions: z.array(z.string()),
      quorum: z.int(),
      config_version: z.int().nullable(),
      rules_version: z.int().nullable(),
      alert_rules: alertRulesSchema.nullable(),
    }),
    votes: z.array(explainedVoteSchema),
    flips: z
      .array(z.object({ region: z.string(), vote: z.enum(['up', 'down', 'unknown']), verdict: z.string() }))
      .describe('single votes that would have changed the verdict'),
    deliveries: z.array(
      z.object({ id: z.string(), channel: z.string(), state: z.string(), created_at: z.string(), sent_at: instant }),
    ),
    missing: z.array(z.object({ what: z.string(), why: z.string() })),
    clock: clockSchema,
  })
  .meta({ title: 'AlertExplanation' });
export type Explanation = z.infer<typeof explanationSchema>;
export type ExplainedVote = z.infer<typeof explainedVoteSchema>;
