import type { WireResult } from '#shared/check-result.ts';
import type { ResultDetail } from './result.ts';

/** The fields of a result stored beside its columns, as JSON text that PostgreSQL accepts. */
export function detailOf({
  timings,
  error,
  assertions,
  remote_ip,
  bytes,
  truncated,
  tls,
  warnings,
}: WireResult): string {
  const detail: ResultDetail = { timings, error, assertions, remote_ip, bytes, truncated, tls, ...given(warnings) };
  return storableJson(detail);
}

/** The field alone if there are any warnings, since most results have none. */
export function given(warnings: WireResult['warnings']): { warnings?: string[] } {
  return warnings === undefined || warnings.length === 0 ? {} : { warnings };
}

/** JSON text in which NUL and lone surrogates are replaced: PostgreSQL rejects them. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes('\\u') ? text.replace(unstorable, '\ufffd') : text;
}

/** Escapes of NUL and lone surrogates, which a target can put into an assertion's `actual`. */
const unstorable = /(?<=(?:^|[^\\])(?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;
