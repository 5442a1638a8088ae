import { z } from 'zod';
import { alertStates, severities } from '#shared/vocabulary.ts';

/** What failed, as one region saw it. Never contains request headers, bodies or a query string. */
const reasonSchema = z.object({
  summary: z.string(),
  region: z.string().nullable(),
  expected: z.string().nullable(),
  actual: z.string().nullable(),
  status_code: z.int().nullable(),
  error_code: z.string().nullable(),
});
export type AlertReason = z.infer<typeof reasonSchema>;

export const alertSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    monitor_id: z.string(),
    title: z.string(),
    severity: z.enum(severities),
    state: z.enum(alertStates),
    regions_failing: z.array(z.string()),
    regions: z.array(z.string()),
    quorum: z.int(),
    reason: reasonSchema,
    labels: z.record(z.string(), z.string()).describe('of the monitor when the alert opened'),
    started_at: z.string(),
    last_seen_at: z.string(),
    acknowledged_at: z.string().nullable(),
    escalated_at: z.string().nullable(),
    resolved_at: z.string().nullable(),
    incident_id: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({ title: 'Alert' });
export type AlertView = z.infer<typeof alertSchema>;
