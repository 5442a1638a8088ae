import { z } from 'zod';
import { diagnosisSchema } from '#shared/checks/diagnosis.ts';
import { errorPhases } from '#shared/checks/vocabulary.ts';
import { alertKinds, alertStates, severities } from '#shared/vocabulary.ts';

/** What failed, as one region saw it. Never contains request headers, bodies or a query string. */
const reasonSchema = z.object({
  summary: z.string(),
  region: z.string().nullable(),
  expected: z.string().nullable(),
  actual: z.string().nullable(),
  status_code: z.int().nullable(),
  error_code: z.string().nullable(),
  phase: z
    .enum(errorPhases)
    .nullable()
    .describe('Step of the attempt in which it failed; null if none failed, and of alerts before 0.8.0.'),
  host: z.string().nullable().describe('Host and port that the failure is about; null if there is none.'),
  step: z.string().nullable().describe('Name of the step that failed; null where there are none.'),
  diagnosis: diagnosisSchema
    .nullable()
    .describe('What seems to have answered in place of the target; null if nothing, and of alerts before 0.9.0.'),
});
type ReasonView = z.infer<typeof reasonSchema>;
type Later = 'phase' | 'host' | 'step' | 'diagnosis';
/** As stored: versions before 0.8.0 did not say where, and those before 0.9.0 not what answered. */
export type AlertReason = Omit<ReasonView, Later> & Partial<Pick<ReasonView, Later>>;

const acknowledgerSchema = z.object({
  type: z.enum(['token', 'person', 'link', 'slack', 'pagerduty']),
  id: z.string(),
  name: z.string(),
});
/** Who acknowledged an alert; the name is that of the time. */
export type Acknowledger = z.infer<typeof acknowledgerSchema>;

export const alertSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    monitor_id: z.string(),
    kind: z.enum(alertKinds),
    title: z.string(),
    severity: z.enum(severities),
    state: z.enum(alertStates),
    regions_failing: z.array(z.string()),
    regions: z.array(z.string()),
    quorum: z.int(),
    reason: reasonSchema,
    labels: z.record(z.string(), z.string()).describe('Labels of the monitor when the alert opened.'),
    started_at: z.string(),
    opened_at: z.string().describe('Time when the alert rules were met.'),
    rules_version: z.int().nullable().describe('Version of the monitor’s `alert_rules` when the alert opened.'),
    held: z.boolean().describe('True if the alert opened during maintenance and its notifications are delayed.'),
    held_since: z.string().nullable(),
    released_at: z.string().nullable().describe('Time when maintenance was over and delayed notifications were sent.'),
    flapping_since: z.string().nullable(),
    last_seen_at: z.string(),
    acknowledged_at: z.string().nullable(),
    acknowledged_by: acknowledgerSchema.nullable(),
    escalated_at: z.string().nullable(),
    resolved_at: z.string().nullable(),
    superseded_by: z
      .string()
      .nullable()
      .describe('ID of the alert of kind `down` that resolved this one; null if there is none.'),
    group_id: z.string().nullable(),
    incident_id: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({ title: 'Alert' });
export type AlertView = z.infer<typeof alertSchema>;
