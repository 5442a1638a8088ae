import { type OutboundAnswer, OutboundError, type OutboundRequest } from '../../platform/http/outbound.ts';
import type { Outcome } from './outcome.ts';
import { cut, plainLine } from './text.ts';

const reasonMax = 200;
/** Enough for the reason of a refusal. */
export const reasonBytesMax = 4096;

export const jsonHeaders = { 'content-type': 'application/json' };

/** A POST of JSON whose answer does not matter beyond its status, and the first bytes that are wanted of it. */
export function jsonPost(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  bodyBytesMax = 0,
): OutboundRequest {
  return { url, headers: { ...jsonHeaders, ...headers }, body: JSON.stringify(body), bodyBytesMax };
}

/**
 * What the answer of a service means by its status: 2xx is sent; 408, 425, 429, redirects and 5xx are tried again,
 * after `Retry-After` if it is given; any other 4xx would be repeated and is refused. `reason`: in the service's own
 * words.
 */
export function outcomeOf(
  { status, headers }: Pick<OutboundAnswer, 'status' | 'headers'>,
  nowMs: number,
  { retryMs = null, reason = null }: { retryMs?: number | null; reason?: unknown } = {},
): Outcome {
  if (status >= 200 && status < 300) return { type: 'sent' };
  const said = typeof reason === 'string' ? cut(plainLine(reason), reasonMax) : '';
  const error = `the service responded with HTTP status ${status}${said === '' ? '' : `: ${said}`}`;
  const again = [408, 425, 429].includes(status) || status < 400 || status >= 500;
  if (!again) return { type: 'refused', error, gone: false, ours: false };
  const after = retryMs ?? retryAfterMs(headers['retry-after'], nowMs);
  return { type: 'failed', error, retryAfterMs: after, ours: false };
}

/** What a customer's own receiver means: 410 is never again; anything else is retried, since it is fixed some time. */
export function outcomeOfReceiver(
  { status, headers }: Pick<OutboundAnswer, 'status' | 'headers'>,
  nowMs: number,
): Outcome {
  if (status >= 200 && status < 300) return { type: 'sent' };
  const error = `the receiver responded with HTTP status ${status}`;
  if (status === 410) return { type: 'refused', error, gone: true, ours: false };
  return { type: 'failed', error, retryAfterMs: retryAfterMs(headers['retry-after'], nowMs), ours: false };
}

/** An address that the policy blocks is permanent, any other error is retried. Rethrows what no request can cause. */
export function classifyOutboundError(error: unknown, ours = false): Outcome {
  if (!(error instanceof OutboundError)) throw error;
  if (error.code === 'blocked_address') return { type: 'refused', error: error.message, gone: false, ours };
  return { type: 'failed', error: error.message, retryAfterMs: null, ours };
}

/** Retry-After in seconds or as a date, RFC 9110; null when it is absent or malformed. */
export function retryAfterMs(value: unknown, nowMs: number): number | null {
  const text = String(value ?? '').trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

/** The answer's JSON; null if it is none. */
export function jsonOf(answer: Pick<OutboundAnswer, 'body'>): unknown {
  try {
    return JSON.parse(answer.body);
  } catch {
    return null;
  }
}
