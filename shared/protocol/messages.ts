import { z } from 'zod';
import { assertionSchema, assertionsMax } from '../assertions/assertion.ts';
import { wireResultSchema } from '../check-result.ts';
import { wireAuthSchema } from '../checks/auth.ts';
import { checkSchema } from '../checks/check.ts';
import { wireEgressSchema } from '../checks/egress.ts';
import { httpVersions, stepsMax } from '../checks/vocabulary.ts';
import { dayMs } from '../duration.ts';

/** The WebSocket subprotocol that both sides must name. */
export const subprotocol = 'probe.v1';
/** Largest message that either side accepts, in bytes. */
export const messageBytesMax = 1_048_576;
/** Largest message of an agent that is neither `results` nor `probed`, in bytes. */
export const smallMessageBytesMax = 65_536;
/** Largest `hello`, in bytes: nobody is known before. */
export const helloBytesMax = 8192;
/** Most results in one message. */
export const resultsMax = 500;
/** Most changes in one `assignments` message; a larger change is sent in several. */
export const assignmentsMax = 200;

/** Longest secret of a project, and the most that an assignment has. */
const [secretLengthMax, secretsMax] = [8192, 500];

const instant = z.int().min(0).max(8_640_000_000_000_000);
const revision = z.int().min(0);
const digest = z.string().max(64);
const monitorId = z.string().min(1).max(40);
const configVersion = z.int().min(1).max(2_147_483_647);

/** Everything an agent needs to run one monitor in its region. `headers` are in plain text: never store them. */
export const assignmentSchema = z.object({
  monitor_id: monitorId,
  config_version: configVersion,
  lane: z.string().max(64).optional().describe('monitors with the same key share one part of the agent’s resources'),
  url: z.string().max(2048),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  interval_ms: z.int().min(1).max(dayMs),
  timeout_ms: z.int().min(1).max(60_000),
  offset_ms: z.int().min(0).max(dayMs).describe('offset of the region’s slots from multiples of the interval'),
  follow_redirects: z.boolean(),
  http_version: z.enum(httpVersions).optional().describe('left out for 1.1'),
  assertions: z.array(assertionSchema).max(assertionsMax),
  egress: wireEgressSchema.optional().describe('how its connections go out; left out if as usual'),
  auth: wireAuthSchema.optional().describe('with what a token is fetched; agents that say `auth.oauth2` alone'),
  check: checkSchema.optional().describe('what to do instead of an HTTP request; left out for kind `http`'),
  secrets: z
    .array(z.string().max(secretLengthMax))
    .max(secretsMax)
    .optional()
    .describe('values of the project’s secrets in what is sent, which no result may show; left out if there are none'),
});
export type Assignment = z.infer<typeof assignmentSchema>;

const hello = z.object({
  type: z.literal('hello'),
  protocol: z.literal(1),
  version: z.string().max(64),
  boot_id: z.string().max(64),
  held: z.object({ revision, digest }),
  spool: z.object({ count: z.int().min(0), bytes: z.int().min(0), dropped: z.int().min(0) }),
  capabilities: z
    .array(z.string().max(64))
    .max(64)
    .optional()
    .describe('what it can do beside the checks of the first versions, which do not send it'),
  incapable: z
    .array(z.object({ word: z.string().max(64), reason: z.string().max(200) }))
    .max(20)
    .optional()
    .describe('what it cannot do because of its host or its settings'),
});

const applied = z.object({ type: z.literal('applied'), revision, digest });

const results = z.object({
  type: z.literal('results'),
  from_seq: z.int().min(1),
  to_seq: z.int().min(1),
  results: z
    .array(z.unknown())
    .max(resultsMax)
    .describe('each a check result; validated one by one, so that an invalid result is refused alone'),
});

const count = z.int().min(0).max(2_147_483_647);
const missedReasonsMax = 16;

/** For an object of at most `max` keys. They are counted first: to validate 80,000 of them takes half a second. */
function fewKeys<Value>(max: number) {
  return z.custom<Record<string, Value>>(fields => Object.keys(Object(fields)).length <= max);
}

/** Counters since the last `vitals`, except for the gauges `assignments`, `queue_depth`, `rss_bytes` and `spool`. */
const vitals = z.object({
  type: z.literal('vitals'),
  clock_offset_ms: z.number().min(-1e15).max(1e15),
  assignments: count,
  checks: count,
  period_ms: z.number().min(0).max(dayMs),
  queue_depth: count,
  missed: fewKeys<number>(missedReasonsMax).pipe(z.record(z.string().max(32), count)),
  late_starts: count,
  rss_bytes: z.int().min(0),
  spool: z.object({ count, bytes: z.int().min(0), dropped: count, failing: z.boolean().optional() }),
});

const requestId = z.string().min(1).max(64);
/** Most headers of an answer that are shown, and the longest value of one. */
export const shownHeaders = { count: 100, name: 256, value: 1024 } as const;
/** The same of each step, so that ten of them fit into one message. */
export const shownHeadersOfStep = { count: 40, value: 512 } as const;
/** Most bytes of a body that are shown. */
export const excerptBytesMax = 4096;

/** What came back, with the secrets of the request blacked out. */
export const shownResponseSchema = z.object({
  status_code: z
    .int()
    .min(100)
    .max(999)
    .nullable()
    .describe('Status of the response; null where the kind of check has none.'),
  headers: fewKeys<string>(shownHeaders.count).pipe(
    z.record(z.string().max(shownHeaders.name), z.string().max(shownHeaders.value)),
  ),
  body_excerpt: z.string().max(excerptBytesMax),
});
export type ShownResponse = z.infer<typeof shownResponseSchema>;

/** What came back to each step of a check of several; null if it was not run, or got no answer. */
export const shownStepsSchema = z
  .array(z.object({ name: z.string().max(100), response: shownResponseSchema.nullable() }))
  .max(stepsMax);
export type ShownSteps = z.infer<typeof shownStepsSchema>;

/** The answer to `probe_now`; `result` is null if the agent had too much to do. It is in no spool. */
const probed = z.object({
  type: z.literal('probed'),
  request_id: requestId,
  result: wireResultSchema.omit({ seq: true }).nullable(),
  response: shownResponseSchema.nullable(),
  steps: shownStepsSchema.optional(),
});

/** Every message an agent may send. */
export const agentMessageSchema = z.discriminatedUnion('type', [hello, applied, results, vitals, probed]);
export type AgentMessage = z.infer<typeof agentMessageSchema>;

const welcome = z.object({
  type: z.literal('welcome'),
  agent_id: z.string(),
  region: z.string(),
  server_time: instant,
  ping_ms: z.int().min(1).max(60_000).optional().describe('how often the control plane pings'),
});

/** A `snapshot` replaces all assignments once its last part arrives; `more`: another part of it follows. */
const assignments = z.object({
  type: z.literal('assignments'),
  mode: z.enum(['snapshot', 'delta']),
  revision,
  put: z.array(assignmentSchema).max(assignmentsMax),
  drop: z.array(monitorId).max(100_000),
  digest,
  more: z.boolean(),
});

/** Run the monitor immediately, as a check of that kind whose `scheduled_at` is `at`; older agents always confirm. */
const checkNow = z.object({
  type: z.literal('check_now'),
  monitor_id: monitorId,
  config_version: configVersion,
  at: instant,
  kind: z.enum(['scheduled', 'confirm']).default('confirm'),
});

/** Every result up to `seq` was either committed or refused with a reason; neither must be sent again. */
const ack = z.object({
  type: z.literal('ack'),
  seq: z.int().min(0),
  refused: z.array(z.object({ seq: z.int(), reason: z.string() })),
});

/** Make one attempt at once, of a monitor that need not exist, and answer with `probed`. Only to agents that can. */
const probeNow = z.object({ type: z.literal('probe_now'), request_id: requestId, assignment: assignmentSchema });

const goaway = z.object({ type: z.literal('goaway'), reason: z.string(), after_ms: z.int().min(0) });

/** Every message the control plane may send. */
export const controlMessageSchema = z.discriminatedUnion('type', [
  welcome,
  assignments,
  checkNow,
  probeNow,
  ack,
  goaway,
]);
export type ControlMessage = z.infer<typeof controlMessageSchema>;
