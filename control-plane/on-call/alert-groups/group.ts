import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import type { GroupRow } from './store.ts';

export const groupStates = ['open', 'acknowledged', 'resolved', 'cancelled'] as const;

export const groupSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    cause: z
      .object({
        type: z.enum(['certificate', 'address', 'host', 'region']),
        value: z.string(),
        error_code: z.string().nullable(),
      })
      .nullable()
      .describe('What the alerts have in common; null while there is only one.'),
    alert_ids: z.array(z.string()),
    opened_at: z.string(),
    told_at: z.string().nullable().describe('Time when the first message was queued.'),
    state: z
      .enum(groupStates)
      .describe('State of the group. `cancelled`: all alerts were resolved before anybody was notified.'),
  })
  .meta({ title: 'AlertGroup' });

export function viewGroup(row: GroupRow): z.infer<typeof groupSchema> {
  return {
    id: row.id,
    project_id: row.project_id,
    cause: row.cause,
    alert_ids: row.alert_ids,
    opened_at: toTimestamp(row.opened_at),
    told_at: row.told_at === null ? null : toTimestamp(row.told_at),
    state: row.state,
  };
}
