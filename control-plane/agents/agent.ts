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
    late_starts: z.int().describe('checks that started more than 250 ms after their slot'),
    results_dropped: z.int().describe('results that were lost because the spool was full'),
    spool_count: z.int().describe('results that wait on the agent'),
    spool_failing: z.boolean().describe('the agent cannot write its spool: what waits would be lost with it'),
  })
  .meta({ title: 'Agent' });

/** A row of `agents` as lists show it. */
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
  late_starts: number;
  results_dropped: number;
  spool_count: number;
  spool_failing: boolean;
  created_at: number;
};

/** `draining`: the connection is lost, but the agent keeps its assignments for a grace period. */
export function viewAgent(row: AgentRow): z.infer<typeof agentSchema> {
  const { online, disconnected_at, created_at: _, ...rest } = row;
  const state = online ? (disconnected_at === null ? 'online' : 'draining') : 'offline';
  return { ...rest, state, last_seen_at: row.last_seen_at === null ? null : toTimestamp(row.last_seen_at) };
}
