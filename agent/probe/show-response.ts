import type { ProbedResponse } from '#shared/assertions/evaluate.ts';
import { excerptBytesMax, type ShownResponse, shownHeaders } from '#shared/protocol/messages.ts';
import type { TakeRedacted } from './redact-secrets.ts';

/** What people see of a response: status, headers with several values joined, and the beginning of the body. */
export function showResponse(
  { statusCode, headers, bodyText }: ProbedResponse,
  redacted: TakeRedacted,
  limits: { count: number; value: number } = shownHeaders,
): ShownResponse {
  const shown = [...headers].slice(0, limits.count).map(([name, values]) => {
    const value = redacted(values.join(', '), limits.value);
    return [name.slice(0, shownHeaders.name), value.toWellFormed()] as const;
  });
  return {
    status_code: statusCode,
    headers: Object.fromEntries(shown),
    body_excerpt: withinBytes(redacted(bodyText, excerptBytesMax), excerptBytesMax),
  };
}

/** The longest beginning of a text that fits, in whole characters. */
function withinBytes(text: string, max: number): string {
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.length <= max) return text.toWellFormed();
  let end = max;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString();
}
