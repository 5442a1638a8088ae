import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  assertionOutcomeSchema,
  checkStatuses,
  errorCodes,
  failureSources,
  type TlsDetail,
  timingsSchema,
  type WireResult,
} from '#shared/check-result.ts';
import { toTimestamp } from '#shared/clock.ts';
import { derivedId } from '#shared/ids.ts';
import { warningText } from './warning-text.ts';

const tlsSchema = z.object({
  protocol: z.string(),
  valid_to: z.string(),
  days_left: z.number(),
  valid_from: z.string().nullable().describe('null, like what follows, from agents without `tls.facts`'),
  issuer: z.string().nullable(),
  subject: z.string().nullable(),
  fingerprint_sha256: z.string().nullable(),
});

/** A result as the API shows it. */
export const checkResultSchema = z
  .object({
    id: z.string(),
    monitor_id: z.string(),
    region: z.string(),
    agent_id: z.string(),
    status: z.enum(checkStatuses),
    scheduled_at: z.string(),
    started_at: z.string(),
    latency_ms: z.number().nullable(),
    timings: timingsSchema.nullable(),
    status_code: z.int().nullable(),
    error: z.object({ code: z.enum(errorCodes), message: z.string() }).nullable(),
    failure_source: z.enum(failureSources).nullable(),
    assertions: z.array(assertionOutcomeSchema),
    attempt: z.int(),
    kind: z.enum(['scheduled', 'confirm']),
    remote_ip: z.string().nullable(),
    bytes: z.int(),
    truncated: z.boolean(),
    tls: tlsSchema.nullable(),
    warnings: z
      .array(z.object({ code: z.string(), message: z.string() }))
      .describe('what in the response is not as HTTP has it, but was read as browsers do; older agents report none'),
    config_version: z.int(),
    received_at: z.string(),
  })
  .meta({ title: 'CheckResult' });
export type CheckResultView = z.infer<typeof checkResultSchema>;

/** The fields of a result stored beside its columns, as JSON. */
export type ResultDetail = Pick<
  WireResult,
  'timings' | 'error' | 'assertions' | 'remote_ip' | 'bytes' | 'truncated' | 'tls' | 'warnings'
>;

/** A row of `check_results`. Instants in milliseconds since the epoch. */
export type ResultRow = {
  monitor_id: string;
  scheduled_at: number;
  region: string;
  kind: 'scheduled' | 'confirm';
  attempt: number;
  status: WireResult['status'];
  failure_source: WireResult['failure_source'];
  agent_id: string;
  config_version: number;
  started_at: number;
  completed_at: number;
  received_at: number;
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
  const { timings, error, assertions, remote_ip, bytes, truncated, tls, warnings = [] } = row.detail;
  return {
    id: resultId(row),
    monitor_id: row.monitor_id,
    region: row.region,
    agent_id: row.agent_id,
    status: row.status,
    scheduled_at: toTimestamp(row.scheduled_at),
    started_at: toTimestamp(row.started_at),
    latency_ms: row.latency_ms,
    timings,
    status_code: row.status_code,
    error,
    failure_source: row.failure_source,
    assertions,
    attempt: row.attempt,
    kind: row.kind,
    remote_ip,
    bytes,
    truncated,
    tls: tls === null ? null : viewTls(tls),
    warnings: warnings.map(code => ({ code, message: warningText(code) })),
    config_version: row.config_version,
    received_at: toTimestamp(row.received_at),
  };
}

function viewTls(tls: TlsDetail): z.infer<typeof tlsSchema> {
  const { protocol, valid_to, days_left, valid_from = null, issuer = null, subject = null } = tls;
  const { fingerprint_sha256 = null } = tls;
  return { protocol, valid_to, days_left, valid_from, issuer, subject, fingerprint_sha256 };
}
