import { createHmac } from 'node:crypto';
import { type Outbound, type OutboundAnswer, OutboundError } from '../http/outbound.ts';
import type { Outcome } from './delivery.ts';

export type WebhookMessage = { id: string; url: string; secret: string; body: string; nowMs: number };

/** Posts one message in the form of standard-webhooks. */
export async function sendWebhook(outbound: Outbound, message: WebhookMessage): Promise<Outcome> {
  const timestamp = Math.floor(message.nowMs / 1000);
  try {
    const answer = await outbound.post({
      url: message.url,
      headers: {
        'content-type': 'application/json',
        'webhook-id': message.id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signWebhook(message.secret, message.id, timestamp, message.body),
      },
      body: message.body,
      bodyBytesMax: 0,
    });
    return classifyAnswer(answer, message.nowMs);
  } catch (error) {
    return classifyOutboundFault(error);
  }
}

/** `v1,` and the HMAC over id, time and body, by the key behind `whsec_`. */
export function signWebhook(secret: string, id: string, timestampSeconds: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`;
}

/** 2xx is taken; 410 wants nothing more, ever; all else may get better, since receivers are changed and restarted. */
export function classifyAnswer(
  { status, headers }: Pick<OutboundAnswer, 'status' | 'headers'>,
  nowMs: number,
): Outcome {
  if (status >= 200 && status < 300) return { type: 'sent' };
  const error = `the receiver answered ${status}`;
  if (status === 410) return { type: 'refused', error, gone: true, ours: false };
  return { type: 'failed', error, retryAfterMs: retryAfterMs(headers['retry-after'], nowMs), ours: false };
}

/** An address we may not reach is refused for good, everything else is tried again. Throws what is no fault of a request. */
export function classifyOutboundFault(error: unknown, ours = false): Outcome {
  if (!(error instanceof OutboundError)) throw error;
  if (error.code === 'blocked_address') return { type: 'refused', error: error.message, gone: false, ours };
  return { type: 'failed', error: error.message, retryAfterMs: null, ours };
}

/** Retry-After in either of its forms; null when it says nothing. */
export function retryAfterMs(value: unknown, nowMs: number): number | null {
  const text = String(value ?? '').trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
