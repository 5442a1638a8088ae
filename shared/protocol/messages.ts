import { z } from 'zod';
import { assertionSchema, assertionsMax } from '../assertions/assertion.ts';
import { wireResultSchema } from '../check-result.ts';

/** WebSocket subprotocol both sides must name. */
export const subprotocol = 'probe.v1';
/** Largest message either side accepts, in bytes. */
export const messageBytesMax = 1_048_576;
/** Most results in one message. */
export const resultsMax = 500;
/** Most changes in one `assignments` message; a larger plan is sent in several. */
export const assignmentsMax = 200;

const instant = z.int().min(0).max(8_640_000_000_000_000);
const revision = z.int().min(0);
const digest = z.string().max(64);
const monitorId = z.string().min(1).max(40);
const configVersion = z.int().min(1).max(2_147_483_647);

/** All an agent needs to run one monitor in its region. `headers` are in clear: they live in the agent's memory only. */
export const assignmentSchema = z.object({
  monitor_id: monitorId,
  config_version: configVersion,
  url: z.string().max(2048),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  interval_ms: z.int().min(1).max(86_400_000),
  timeout_ms: z.int().min(1).max(60_000),
  offset_ms: z.int().min(0).max(86_400_000).describe('offset of the region’s slots from multiples of the interval'),
  follow_redirects: z.boolean(),
  assertions: z.array(assertionSchema).max(assertionsMax),
});
export type Assignment = z.infer<typeof assignmentSchema>;

const hello = z.object({
  type: z.literal('hello'),
  protocol: z.literal(1),
  version: z.string().max(64),
  boot_id: z.string().max(64),
  held: z.object({ revision, digest }),
  spool: z.object({ count: z.int().min(0), bytes: z.int().min(0), dropped: z.int().min(0) }),
});

const applied = z.object({ type: z.literal('applied'), revision, digest });

const results = z.object({
  type: z.literal('results'),
  from_seq: z.int().min(1),
  to_seq: z.int().min(1),
  results: z
    .array(z.unknown())
    .max(resultsMax)
    .describe('each a check result; judged one by one, so that a bad one is refused alone'),
});

const count = z.int().min(0).max(2_147_483_647);
const missedReasonsMax = 16;

/** Counters since the last `vitals` but for the gauges `assignments`, `queue_depth`, `rss_bytes` and `spool`. */
const vitals = z.object({
  type: z.literal('vitals'),
  clock_offset_ms: z.number().min(-1e15).max(1e15),
  assignments: count,
  checks: count,
  period_ms: z.number().min(0).max(86_400_000),
  queue_depth: count,
  missed: z.record(z.string().max(32), count).refine(missed => Object.keys(missed).length <= missedReasonsMax),
  late_starts: count,
  rss_bytes: z.int().min(0),
  spool: z.object({ count, bytes: z.int().min(0), dropped: count }),
});

/** Every message an agent may send. */
export const agentMessageSchema = z.discriminatedUnion('type', [hello, applied, results, vitals]);
export type AgentMessage = z.infer<typeof agentMessageSchema>;

const welcome = z.object({
  type: z.literal('welcome'),
  agent_id: z.string(),
  region: z.string(),
  server_time: instant,
});

/** In `snapshot` mode the first part drops all that was held; `more` says that another part of the same revision follows. */
const assignments = z.object({
  type: z.literal('assignments'),
  mode: z.enum(['snapshot', 'delta']),
  revision,
  put: z.array(assignmentSchema).max(assignmentsMax),
  drop: z.array(monitorId).max(100_000),
  digest,
  more: z.boolean(),
});

/** Run the monitor at once as a `confirm` check whose `scheduled_at` is `at`. */
const checkNow = z.object({
  type: z.literal('check_now'),
  monitor_id: monitorId,
  config_version: configVersion,
  at: instant,
});

/** Everything up to `seq` is committed, or refused with a reason and must not be sent again. */
const ack = z.object({
  type: z.literal('ack'),
  seq: z.int().min(0),
  refused: z.array(z.object({ seq: z.int(), reason: z.string() })),
});

const goaway = z.object({ type: z.literal('goaway'), reason: z.string(), after_ms: z.int().min(0) });

/** Every message the control plane may send. */
export const controlMessageSchema = z.discriminatedUnion('type', [welcome, assignments, checkNow, ack, goaway]);
export type ControlMessage = z.infer<typeof controlMessageSchema>;

export { wireResultSchema };
