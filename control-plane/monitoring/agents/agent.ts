import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { readOnlyKey } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';

const regionFields = {
  code: z.string(),
  name: z.string(),
  agents_online: z.int(),
  agents_total: z.int(),
  capabilities: z.array(z.string()).describe('Capabilities that at least one online agent has.'),
};
export const regionSchema = z.object(regionFields).meta({ title: 'Region' });

/** A region with how it is doing, for whoever looks after it. */
export const regionDetailsSchema = z
  .object({
    ...regionFields,
    private: z.boolean().describe('True for a region that only this project can use.'),
    quarantined_since: z
      .string()
      .nullable()
      .describe('Time since which its votes have not counted for this project; null if they count.'),
    monitors: z.int().describe('Number of enabled monitors of the project that run in the region.'),
    monitors_without_vote: z
      .int()
      .describe('Number of enabled monitors in the region whose vote is missing or has expired.'),
    last_result_at: z
      .string()
      .nullable()
      .describe('Time when the newest check for the project ended; null if there is none.'),
  })
  .meta({ title: 'RegionDetails' });

/** A row of `listRegionDetails`. */
export type RegionDetailsRow = Omit<z.infer<typeof regionDetailsSchema>, 'quarantined_since' | 'last_result_at'> & {
  quarantined_since: number | null;
  last_result_at: number | null;
};

export function viewRegionDetails(row: RegionDetailsRow): z.infer<typeof regionDetailsSchema> {
  const at = (ms: number | null) => (ms === null ? null : toTimestamp(ms));
  return { ...row, quarantined_since: at(row.quarantined_since), last_result_at: at(row.last_result_at) };
}

/** Body of POST. */
export const agentPostSchema = z
  .object({ region: z.string().min(1).max(64), name: lineSchema(100) })
  .meta({ [readOnlyKey]: ['id', 'version', 'state', 'last_seen_at', 'secret'] });

const incapableSchema = z.object({
  word: z.string().describe('The capability.'),
  reason: z.string().describe('What the agent says about it.'),
});
export type Incapable = z.infer<typeof incapableSchema>;

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
    late_starts: z.int().describe('Checks that started more than 250 ms after their slot.'),
    results_dropped: z.int().describe('Number of results that were lost because the spool was full.'),
    spool_count: z.int().describe('Number of results that are queued on the agent.'),
    capabilities: z.array(z.string()).describe('Capabilities beyond HTTP checks; empty for older agents.'),
    incapable: z.array(incapableSchema).describe('Capabilities that its host does not allow; empty for older agents.'),
    spool_failing: z
      .boolean()
      .describe('True if the agent cannot write its spool, so that a crash would lose the queued results.'),
    private: z.boolean().describe('True if the agent belongs to a private region of this project.'),
    created_at: z.string(),
    secret: z
      .string()
      .optional()
      .describe('Secret that the agent connects with. Returned only when the agent is created.'),
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
  private: boolean;
  capabilities: string[];
  incapable: Incapable[];
  created_at: number;
};

/** `draining`: the connection is lost, but the agent keeps its assignments for a grace period. */
export function viewAgent(row: AgentRow): z.infer<typeof agentSchema> {
  const { online, disconnected_at, created_at, last_seen_at, ...rest } = row;
  const state = online ? (disconnected_at === null ? 'online' : 'draining') : 'offline';
  const seenAt = last_seen_at === null ? null : toTimestamp(last_seen_at);
  return { ...rest, state, last_seen_at: seenAt, created_at: toTimestamp(created_at) };
}
