import { z } from 'zod';
import { factsSchema, type StoredFacts, signalFactsSchema } from './checks/facts.ts';
import { errorPhases, stepsMax } from './checks/vocabulary.ts';
import { dayMs } from './duration.ts';

export const checkStatuses = ['ok', 'warn', 'err'] as const;
export type CheckStatus = (typeof checkStatuses)[number];
const checkKinds = ['scheduled', 'confirm'] as const;
/** Kinds of results that are stored: agents report the first two, the control plane the others. */
export const storedCheckKinds = [...checkKinds, 'signal', 'missed', 'lookup', 'evaluated'] as const;
export type CheckKind = (typeof storedCheckKinds)[number];

export const failureSources = ['target', 'resolver', 'probe'] as const;
export type FailureSource = (typeof failureSources)[number];
/** Why nothing can be said of events that were counted: there were too few, too many, or they are not kept. */
const noOpinions = ['too_few', 'too_large', 'not_kept'] as const;
export type NoOpinion = (typeof noOpinions)[number];
/** What is stored of a check without a finding: agents report the first three, the control plane the others. */
export const storedFailureSources = [...failureSources, ...noOpinions] as const;
export type StoredFailureSource = (typeof storedFailureSources)[number];

export const errorCodes = [
  'dns_failure',
  'connect_refused',
  'connect_timeout',
  'connection_reset',
  'tls_error',
  'timeout',
  'too_many_redirects',
  'body_too_large',
  'blocked_address',
  'protocol_error',
  'no_record',
  'no_reply',
  'starttls_refused',
  'not_serving',
  'heartbeat_missed',
  'heartbeat_failed',
  'run_too_long',
  'extract_failed',
  'proxy_failed',
  'auth_failed',
  'not_registered',
  'domain_expired',
  'lookup_failed',
] as const;
export type CheckErrorCode = (typeof errorCodes)[number];

export const assertionTypes = [
  'status',
  'body_contains',
  'header',
  'json_path',
  'latency_p95',
  'latency',
  'http_version',
  'tls_version',
  'dns_rcode',
  'dns_record',
  'dns_agree',
  'dns_changed',
  'packet_loss',
  'jitter',
  'addresses',
  'grpc_status',
  'run_seconds',
  'measured',
] as const;

/** What a response was read with although HTTP has it otherwise. Browsers read it, too; other clients may not. */
export const responseWarnings = [
  'line_ending',
  'status_line',
  'http_version',
  'control_character',
  'folded_header',
  'blank_before_colon',
  'invalid_header_line',
  'repeated_length',
  'length',
  'transfer_encoding',
] as const;
export type ResponseWarning = (typeof responseWarnings)[number];

/** The largest values of a result's fields, and the most outcomes it may have. */
export const wireLimits = {
  ms: dayMs,
  instant: 8_640_000_000_000_000,
  version: 2_147_483_647,
  outcomes: 50,
  message: 300,
  host: 320,
  address: 64,
  tlsText: 32,
  tlsHost: 262,
  tlsEarlier: 10,
  tlsName: 256,
  warnings: 16,
  warning: 32,
} as const;

const milliseconds = z.number().min(0).max(wireLimits.ms);
const instant = z.int().min(0).max(wireLimits.instant);

/** Phases of one request in milliseconds; null for a phase that did not take place. */
export const timingsSchema = z.object({
  dns_ms: milliseconds.nullable(),
  connect_ms: milliseconds.nullable(),
  tls_ms: milliseconds.nullable(),
  first_byte_ms: milliseconds.nullable(),
  download_ms: milliseconds.nullable(),
  starttls_ms: milliseconds.optional().describe('the talk before TLS, of kind `tls` with `starttls`'),
  proxy_ms: milliseconds.optional().describe('the talk with a proxy until its tunnel was there'),
  auth_ms: milliseconds.optional().describe('until a token was there, if it was fetched; no part of the latency'),
});
export type Timings = z.infer<typeof timingsSchema>;

export const assertionOutcomeSchema = z.object({
  index: z
    .int()
    .min(0)
    .max(wireLimits.outcomes - 1),
  type: z.enum(assertionTypes),
  passed: z.boolean().nullable(),
  expected: z.string().max(wireLimits.message),
  actual: z.string().max(wireLimits.message).nullable(),
  skipped: z.string().max(64).optional(),
  step: z
    .int()
    .min(0)
    .max(stepsMax - 1)
    .optional()
    .describe('Step of the check, from 0; left out for an assertion of the monitor itself.'),
});

const fingerprint = z.string().regex(/^[0-9a-f]{64}$/);

/** A certificate that a host before a redirect showed. */
const earlierCertificateSchema = z.object({
  host: z.string().max(wireLimits.tlsHost),
  valid_from: z.string().max(wireLimits.tlsText),
  valid_to: z.string().max(wireLimits.tlsText),
  issuer: z.string().max(wireLimits.tlsName),
  subject: z.string().max(wireLimits.tlsName),
  fingerprint_sha256: fingerprint,
});
export type EarlierCertificate = z.infer<typeof earlierCertificateSchema>;

/**
 * The connection and its certificate. Agents without `tls.facts` leave out what is optional. `host`, with its port, is
 * there if it is not the one of the monitor's URL alone; agents before 0.7.7 never say it, nor `earlier`. `alpn` is the
 * protocol that the server chose, where more than HTTP/1.1 was offered.
 */
const tlsDetailSchema = z.object({
  protocol: z.string().max(wireLimits.tlsText),
  valid_to: z.string().max(wireLimits.tlsText),
  days_left: z.number(),
  valid_from: z.string().max(wireLimits.tlsText).optional(),
  issuer: z.string().max(wireLimits.tlsName).optional(),
  subject: z.string().max(wireLimits.tlsName).optional(),
  fingerprint_sha256: fingerprint.optional(),
  host: z.string().max(wireLimits.tlsHost).optional(),
  alpn: z.string().max(wireLimits.tlsText).optional(),
  earlier: z.array(earlierCertificateSchema).max(wireLimits.tlsEarlier).optional(),
  verified: z.literal(false).optional().describe('left out of a certificate that is valid'),
});
export type TlsDetail = z.infer<typeof tlsDetailSchema>;

/** `phase` and `host` (with its port) say where the attempt failed; agents before 0.8.0 leave them out. */
const checkErrorSchema = z.object({
  code: z.enum(errorCodes),
  message: z.string().max(wireLimits.message),
  phase: z.enum(errorPhases).optional(),
  host: z.string().max(wireLimits.host).optional(),
});

/** The result of one attempt, as the agent sends it. Instants: milliseconds since the epoch, by its corrected clock. */
export const wireResultSchema = z.object({
  seq: z.int().min(1),
  monitor_id: z.string().regex(/^mon_[0-9a-hjkmnp-tv-z]{26}$/),
  config_version: z.int().min(1).max(wireLimits.version),
  kind: z.enum(checkKinds),
  attempt: z.int().min(1).max(2),
  scheduled_at: instant,
  started_at: instant,
  completed_at: instant,
  status: z.enum(checkStatuses),
  latency_ms: milliseconds.nullable(),
  delayed_ms: milliseconds.optional().describe('how long the agent itself stood still during the check, if it did'),
  timings: timingsSchema.nullable(),
  status_code: z.int().min(100).max(999).nullable(),
  error: checkErrorSchema.nullable(),
  failure_source: z.enum(failureSources).nullable(),
  assertions: z.array(assertionOutcomeSchema).max(wireLimits.outcomes),
  remote_ip: z.string().max(wireLimits.address).nullable(),
  bytes: z.int().min(0),
  truncated: z.boolean(),
  tls: tlsDetailSchema.nullable(),
  refused_tls: tlsDetailSchema
    .optional()
    .describe('what a host showed whose certificate is why the check failed; no fact for alerts about certificates'),
  warnings: z
    .array(z.string().max(wireLimits.warning))
    .max(wireLimits.warnings)
    .optional()
    .describe('words of `responseWarnings`, and those of newer agents; left out if there are none'),
  facts: factsSchema.optional().describe('what the check saw beside all this'),
});
export type WireResult = z.infer<typeof wireResultSchema>;

/**
 * What the control plane makes itself. The attempt tells signals of one millisecond apart, and says of a signal whether
 * it counts (`isCountedSignal`).
 */
export const ownResultSchema = wireResultSchema.extend({
  kind: z.enum(['signal', 'missed']),
  attempt: z.int().min(1).max(32_767),
  facts: signalFactsSchema.optional(),
  sealed_output: z.string().max(16_384).optional().describe('what came with a signal, encrypted, in base64'),
});
type Own = z.infer<typeof ownResultSchema>;

/** A result that is about to be stored. */
export type StoredResult = Omit<WireResult, 'kind' | 'facts' | 'failure_source'> & {
  kind: CheckKind;
  failure_source: StoredFailureSource | null;
  facts?: StoredFacts | undefined;
  sealed_output?: Own['sealed_output'];
};

/**
 * Attempts of signals above this one are of those that say nothing of the target: starts and logs. So are those of
 * lookups that cast no vote.
 */
export const countedAttemptMax = 16_000;
