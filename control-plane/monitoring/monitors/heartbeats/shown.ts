import { z } from 'zod';
import { heartbeatSchema } from '../kinds/heartbeat.ts';
import { adviceKinds } from './advice.ts';

const instant = z.string().nullable();

/** The object of a heartbeat as the API shows it. */
export const shownHeartbeatSchema = heartbeatSchema
  .extend({
    grace_seconds: z.int(),
    last_success_at: instant.describe('Time of the last success; null before the first.'),
    expected_at: instant.describe('Time at which the next success is expected; null before the first one.'),
    deadline_at: instant.describe('Time until which a success is in time; null if none is waited for.'),
    running_since: instant.describe('Start of the newest run that has not ended; null if none is known.'),
    advice: z
      .object({ kind: z.enum(adviceKinds), observed_seconds: z.int(), suggested_seconds: z.int() })
      .nullable()
      .describe('What would fit the last signals better, of a single monitor; null in lists or if the settings fit.'),
  })
  .meta({ title: 'Heartbeat' });
export type ShownHeartbeat = z.infer<typeof shownHeartbeatSchema>;
