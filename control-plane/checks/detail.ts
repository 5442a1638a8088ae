import type { WireResult } from '#shared/check-result.ts';
import type { ResultDetail } from './result.ts';

/** What is kept of a result beside its columns, as JSON text that every column takes. */
export function detailOf({ timings, error, assertions, remote_ip, bytes, truncated, tls }: WireResult): string {
  const detail: ResultDetail = { timings, error, assertions, remote_ip, bytes, truncated, tls };
  const text = JSON.stringify(detail);
  return text.includes('\\u') ? text.replace(unstorable, '\ufffd') : text;
}

/** Escapes of NUL and of lone surrogates, which a target may have put into what an assertion saw: no column takes them. */
const unstorable = /(?<=(?:^|[^\\])(?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;
