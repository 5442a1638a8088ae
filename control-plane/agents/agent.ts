import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';

export const regionSchema = z
  .object({ code: z.string(), name: z.string(), agents_online: z.int(), agents_total: z.int() })
  .meta({ title: 'Region' });

export const agentSchema = z
  .object({
    id: z.string(),
    region: z.string(),
    name: z.string(),
    version: z.string().nullable(),
    state: z.enum(['online', 'offline', 'draining']),
    last_seen_at: z.string().nullable(),
    clock_offset_ms: z.number().nullable(),
    assignments: z.int(),
    checks_per_second: z.number(),
    queue_depth: z.int(),
    missed_slots: z.int(),
  })
  .meta({ title: 'Agent' });

export type AgentRow = {
  id: string;
  region: string;
  name: string;
  version: string | null;
  online: boolean;
  disconnected_at: number | null;
  last_seen_at: number | null;
  clock_offset_ms: number | null;
  assignments: number;
  checks_per_second: number;
  queue_depth: number;
  missed_slots: number;
  created_at: number;
};

/** `draining`: its socket is gone but it keeps its share for the moment it takes to come back. */
export function viewAgent(row: AgentRow): z.infer<typeof agentSchema> {
  const { online, disconnected_at, created_at: _, ...rest } = row;
  const state = online ? (disconnected_at === null ? 'online' : 'draining') : 'offline';
  return { ...rest, state, last_seen_at: row.last_seen_at === null ? null : toTimestamp(row.last_seen_at) };
}
