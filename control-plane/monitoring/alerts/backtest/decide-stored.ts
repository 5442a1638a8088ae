import type { Assertion } from '#shared/assertions/assertion.ts';
import { newBudget } from '#shared/assertions/budget.ts';
import { compareStatus } from '#shared/assertions/compare-status.ts';
import {
  decideAddresses,
  decideAgree,
  decideGrpcStatus,
  decideHttpVersion,
  decideJitter,
  decideLatency,
  decideLoss,
  decideRcode,
  decideRecord,
  decideRun,
  decideTlsVersion,
} from '#shared/assertions/decide-kinds.ts';
import type { ResultDetail } from '../../checks/result.ts';

/** What is stored of an answer. `latency_ms` is null where it does not count. */
export type StoredAnswer = {
  status_code: number | null;
  latency_ms: number | null;
  detail: Pick<ResultDetail, 'tls' | 'facts'>;
};

/** Decided by what is stored of the answer alone: the rest would need the answer itself. */
const replayable: readonly Assertion['type'][] = [
  'status',
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
  'grpc_status',
  'run_seconds',
  'addresses',
];

export function isReplayable({ type }: Assertion): boolean {
  return replayable.includes(type);
}

/** Pure: whether an answer of that time fails the assertion. `recordType` is what a DNS query asks for. */
export function failsStored(assertion: Assertion, answer: StoredAnswer, recordType: string | null): boolean {
  const { status_code: code, latency_ms: latencyMs, detail } = answer;
  const { dns = null, ping = null, grpc = null, http_version = null } = detail.facts ?? {};
  switch (assertion.type) {
    case 'status':
      return code !== null && !compareStatus(assertion.operator, assertion.value, code);
    case 'latency':
      return latencyMs !== null && decideLatency(assertion, latencyMs, false).passed === false;
    case 'http_version':
      return decideHttpVersion(assertion, http_version).passed === false;
    case 'tls_version':
      return decideTlsVersion(assertion, detail.tls?.protocol ?? null).passed === false;
    case 'dns_rcode':
      return decideRcode(assertion, dns).passed === false;
    case 'dns_record': {
      const records = (dns?.answers ?? []).filter(({ type }) => type === recordType).map(({ data }) => data);
      return decideRecord(assertion, records, newBudget()).passed === false;
    }
    case 'dns_agree':
      return decideAgree(dns).passed === false;
    case 'packet_loss':
      return decideLoss(assertion, ping).passed === false;
    case 'jitter':
      return decideJitter(assertion, ping).passed === false;
    case 'grpc_status':
      return decideGrpcStatus(assertion, grpc).passed === false;
    case 'addresses':
      return decideAddresses(assertion, detail.facts?.addresses ?? null).passed === false;
    case 'run_seconds':
      return decideRun(assertion, detail.facts?.signal?.run_seconds ?? null).passed === false;
    default:
      return false;
  }
}
