import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  assertionOutcomeSchema,
  type CheckKind,
  checkStatuses,
  errorCodes,
  type StoredResult,
  storedCheckKinds,
  storedFailureSources,
  type TlsDetail,
  timingsSchema,
} from '#shared/check-result.ts';
import { addressFactsSchema } from '#shared/checks/addresses.ts';
import { type DiagnosisFacts, diagnosisSchema } from '#shared/checks/diagnosis.ts';
import {
  dnsFactsSchema,
  domainFactsSchema,
  grpcFactsSchema,
  measuredSchema,
  pingFactsSchema,
  signalSchema,
  websocketFactsSchema,
} from '#shared/checks/facts.ts';
import { stepFactsSchema } from '#shared/checks/step-facts.ts';
import { errorPhases, spokenVersions } from '#shared/checks/vocabulary.ts';
import { toTimestamp } from '#shared/clock.ts';
import { derivedId } from '#shared/ids.ts';
import { isVoter } from '#shared/vocabulary.ts';
import { warningText } from './warning-text.ts';

const tlsSchema = z.object({
  protocol: z.string(),
  valid_to: z.string(),
  days_left: z.number(),
  valid_from: z
    .string()
    .nullable()
    .describe(
      'Start of the validity of the certificate; null, as the properties after it, from agents without ' +
        '`tls.facts`.',
    ),
  issuer: z.string().nullable(),
  subject: z.string().nullable(),
  fingerprint_sha256: z.string().nullable(),
  alpn: z
    .string()
    .nullable()
    .describe('Protocol that the server chose, where more than HTTP/1.1 was offered; null if it chose none.'),
  verified: z.boolean().describe('Whether the certificate was valid for the name, by an authority that is trusted.'),
  host: z
    .string()
    .optional()
    .describe('Host that presented the certificate, with its port, if the check was redirected to another host.'),
  earlier: z
    .array(
      z.object({
        host: z.string(),
        valid_from: z.string(),
        valid_to: z.string(),
        issuer: z.string(),
        subject: z.string(),
        fingerprint_sha256: z.string(),
      }),
    )
    .optional()
    .describe('Certificates of the hosts before the redirects, in order.'),
});

/** A result as the API shows it. */
export const checkResultSchema = z
  .object({
    id: z.string(),
    monitor_id: z.string(),
    region: z.string(),
    agent_id: z.string().nullable().describe('Agent that made the check; null if the control plane did.'),
    status: z.enum(checkStatuses),
    scheduled_at: z.string(),
    started_at: z.string(),
    latency_ms: z.number().nullable(),
    delayed_ms: z
      .number()
      .nullable()
      .describe(
        'Milliseconds for which the agent itself was suspended during the check. `latency_ms` is then not a ' +
          'measurement of the target and is left out of assertions, percentiles, averages and metrics. Null if ' +
          'it was not.',
      ),
    timings: timingsSchema
      .extend({ starttls_ms: z.number().nullable(), proxy_ms: z.number().nullable(), auth_ms: z.number().nullable() })
      .nullable(),
    status_code: z.int().nullable(),
    error: z
      .object({
        code: z.enum(errorCodes),
        message: z.string(),
        phase: z
          .enum(errorPhases)
          .nullable()
          .describe('Step of the attempt in which it failed; null from agents before 0.8.0.'),
        host: z.string().nullable().describe('Host and port that it is about; null if there is none.'),
      })
      .nullable(),
    failure_source: z.enum(storedFailureSources).nullable(),
    assertions: z.array(assertionOutcomeSchema),
    attempt: z.int(),
    kind: z.enum(storedCheckKinds),
    remote_ip: z.string().nullable(),
    bytes: z.int(),
    truncated: z.boolean(),
    tls: tlsSchema.nullable(),
    warnings: z
      .array(z.object({ code: z.string(), message: z.string() }))
      .describe('Violations of HTTP in the response that were tolerated as browsers do; older agents report none.'),
    http_version: z
      .enum(spokenVersions)
      .nullable()
      .describe('Version of HTTP of the last response; null without one, and from agents before 0.11.0.'),
    dns: dnsFactsSchema.nullable().describe('What a check of kind `dns` was answered; null for other kinds.'),
    ping: pingFactsSchema.nullable().describe('Packets of a check of kind `ping`; null for other kinds.'),
    grpc: grpcFactsSchema.nullable().describe('What a check of kind `grpc` was answered; null for other kinds.'),
    websocket: websocketFactsSchema.nullable().describe('What a check of kind `websocket` met; null for other kinds.'),
    signal: signalSchema.nullable().describe('The signal of a heartbeat; null for other results.'),
    output: z
      .string()
      .nullable()
      .optional()
      .describe('The end of what came with a signal; null without it or without `monitors:write`.'),
    domain: domainFactsSchema.nullable().describe('What a registry says of the domain; null for other results.'),
    measured: measuredSchema.nullable().describe('What stored events came to; null for other results.'),
    addresses: addressFactsSchema.nullable().describe('The newest round, with `egress.addresses` `each`; else null.'),
    steps: z.array(stepFactsSchema).nullable().describe('Steps of a check of kind `multistep`; null for other kinds.'),
    diagnosis: diagnosisSchema
      .nullable()
      .describe('What seems to have answered in place of the target; it has no part in the status. Null if nothing.'),
    config_version: z.int(),
    received_at: z.string(),
  })
  .meta({ title: 'CheckResult' });
export type CheckResultView = z.infer<typeof checkResultSchema>;

/** The fields of a result stored beside its columns, as JSON. */
export type ResultDetail = Pick<
  StoredResult,
  | 'timings'
  | 'error'
  | 'assertions'
  | 'remote_ip'
  | 'bytes'
  | 'truncated'
  | 'tls'
  | 'refused_tls'
  | 'warnings'
  | 'facts'
> & { delayed?: Delayed | undefined };

/**
 * What is stored of a check during which its agent stood still. Its latency is here and not in the column, from which
 * all percentiles, averages and metrics are made, those of earlier versions too.
 */
export type Delayed = { ms: number; latency_ms: number | null };

/** A row of `check_results`. Instants in milliseconds since the epoch. */
export type ResultRow = {
  monitor_id: string;
  scheduled_at: number;
  region: string;
  kind: CheckKind;
  attempt: number;
  status: StoredResult['status'];
  failure_source: StoredResult['failure_source'];
  agent_id: string;
  config_version: number;
  started_at: number;
  completed_at: number;
  received_at: number;
  /** Null without a response, and if the agent stood still meanwhile. */
  latency_ms: number | null;
  status_code: number | null;
  detail: ResultDetail;
};

/** An id derived from the key, so that none is stored; in the order of the slots. */
export function resultId(row: Pick<ResultRow, 'monitor_id' | 'scheduled_at' | 'region' | 'kind' | 'attempt'>): string {
  const key = `${row.monitor_id}/${row.scheduled_at}/${row.region}/${row.kind}/${row.attempt}`;
  return derivedId('chk', row.scheduled_at, createHash('sha256').update(key).digest());
}

export function viewResult(row: ResultRow): CheckResultView {
  const { timings, error, assertions, remote_ip, bytes, truncated, warnings = [], facts, delayed } = row.detail;
  const tls = row.detail.tls ?? row.detail.refused_tls ?? null;
  return {
    id: resultId(row),
    monitor_id: row.monitor_id,
    region: row.region,
    agent_id: isVoter(row.region) ? null : row.agent_id,
    status: row.status,
    scheduled_at: toTimestamp(row.scheduled_at),
    started_at: toTimestamp(row.started_at),
    latency_ms: delayed === undefined ? row.latency_ms : delayed.latency_ms,
    delayed_ms: delayed?.ms ?? null,
    timings:
      timings == null
        ? null
        : {
            ...timings,
            starttls_ms: timings.starttls_ms ?? null,
            proxy_ms: timings.proxy_ms ?? null,
            auth_ms: timings.auth_ms ?? null,
          },
    status_code: row.status_code,
    error: error == null ? null : { ...error, phase: error.phase ?? null, host: error.host ?? null },
    failure_source: row.failure_source,
    assertions,
    attempt: isVoter(row.region) ? 1 : row.attempt,
    kind: row.kind,
    remote_ip,
    bytes,
    truncated,
    tls: tls === null ? null : viewTls(tls),
    warnings: warnings.map(code => ({ code, message: warningText(code) })),
    http_version: facts?.http_version ?? null,
    dns: facts?.dns ?? null,
    ping: facts?.ping ?? null,
    grpc: facts?.grpc ?? null,
    websocket: facts?.websocket ?? null,
    signal: facts?.signal ?? null,
    domain: facts?.domain ?? null,
    measured: facts?.measured ?? null,
    addresses: facts?.addresses ?? null,
    steps: facts?.steps ?? null,
    diagnosis: viewDiagnosis(facts?.diagnosis),
    config_version: row.config_version,
    received_at: toTimestamp(row.received_at),
  };
}

function viewDiagnosis(stored: DiagnosisFacts | undefined): CheckResultView['diagnosis'] {
  if (stored === undefined) return null;
  const { kind, provider, confidence } = stored;
  return { kind, provider, confidence };
}

function viewTls(tls: TlsDetail): z.infer<typeof tlsSchema> {
  const { protocol, valid_to, days_left, valid_from = null, issuer = null, subject = null } = tls;
  const { fingerprint_sha256 = null, host, earlier, verified = true, alpn = null } = tls;
  const own = { protocol, valid_to, days_left, valid_from, issuer, subject, fingerprint_sha256, alpn, verified };
  return { ...own, ...(host === undefined ? {} : { host }), ...(earlier === undefined ? {} : { earlier }) };
}
