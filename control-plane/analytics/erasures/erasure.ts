import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs, secondMs } from '#shared/duration.ts';

/** Erasures of a project that are under way at once. */
export const erasuresMax = 20;
export const erasureKeepMs = 400 * dayMs;
/** What a request has received before an erasure, it has stored by then. */
export const storedWithinMs = 10 * secondMs;

const erasureStates = ['queued', 'running', 'done'] as const;

export const erasureSchema = z
  .object({
    id: z.string(),
    user: z.string(),
    state: z.enum(erasureStates),
    events: z.int(),
    hours_recomputed: z.int(),
    hours_kept: z.int(),
    requested_at: z.string(),
    done_at: z.string().nullable(),
  })
  .meta({ title: 'Erasure' });

export type ErasureRow = {
  id: string;
  user_hash: string;
  state: (typeof erasureStates)[number];
  events: number;
  hours_recomputed: number;
  hours_kept: number;
  requested_at: number;
  done_at: number | null;
};

export function viewErasure(row: ErasureRow): z.infer<typeof erasureSchema> {
  const { id, user_hash: user, state, events, hours_recomputed, hours_kept } = row;
  const times = {
    requested_at: toTimestamp(row.requested_at),
    done_at: row.done_at === null ? null : toTimestamp(row.done_at),
  };
  return { id, user, state, events, hours_recomputed, hours_kept, ...times };
}
