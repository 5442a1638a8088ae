import type { StoredResult } from '#shared/check-result.ts';
import type { Delayed, ResultDetail } from '../result.ts';

/** What is stored of a result's latency if its agent stood still meanwhile; undefined if it did not. */
export function delayedOf(result: Pick<StoredResult, 'latency_ms' | 'delayed_ms'>): Delayed | undefined {
  const { delayed_ms: ms, latency_ms } = result;
  return ms === undefined ? undefined : { ms, latency_ms };
}

/** The fields of a result stored beside its columns, as JSON text that PostgreSQL accepts. */
export function detailOf(result: StoredResult & { delayed?: Delayed | undefined }): string {
  const { timings, error, assertions, remote_ip, bytes, truncated, tls, refused_tls, warnings, facts, delayed } =
    result;
  const common = { timings, error, assertions, remote_ip, bytes, truncated, tls };
  const detail: ResultDetail = { ...common, refused_tls, ...given(warnings), facts, delayed };
  return storableJson(detail);
}

/** The field alone if there are any warnings, since most results have none. */
export function given(warnings: StoredResult['warnings']): { warnings?: string[] } {
  return warnings === undefined || warnings.length === 0 ? {} : { warnings };
}

/** JSON text in which NUL and lone surrogates are replaced: PostgreSQL rejects them. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes('\\u') ? text.replace(unstorable, '\ufffd') : text;
}

/** Escapes of NUL and lone surrogates, which a target can put into an assertion's `actual`. */
const unstorable = /(?<=(?:^|[^\\])(?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;
