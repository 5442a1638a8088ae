import { createHmac } from 'node:crypto';
import { type Outbound, type OutboundAnswer, OutboundError } from '../../../platform/http/outbound.ts';
import type { Outcome } from '../delivery.ts';

/** Signed with each of the secrets: there are two while one is rotated. */
export type WebhookMessage = { id: string; url: string; secrets: readonly string[]; body: string; nowMs: number };

/** Posts a message signed as standard-webhooks specifies. Failures of the receiver and the network become outcomes. */
export async function sendWebhook(outbound: Outbound, message: WebhookMessage): Promise<Outcome> {
  const timestamp = Math.floor(message.nowMs / 1000);
  const signatures = message.secrets.map(secret => signWebhook(secret, message.id, timestamp, message.body));
  try {
    const answer = await outbound.post({
      url: message.url,
      headers: {
        'content-type': 'application/json',
        'webhook-id': message.id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatures.join(' '),
      },
      body: message.body,
      bodyBytesMax: 0,
    });
    return classifyAnswer(answer, message.nowMs);
  } catch (error) {
    return classifyOutboundError(error);
  }
}

/** `v1,` and the HMAC-SHA256 of id, time and body in Base64. The key is what follows `whsec_`, in Base64. */
export function signWebhook(secret: string, id: string, timestampSeconds: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`;
}

/** 2xx is success; 410 means never again; anything else is retried, since receivers are fixed and restarted. */
export function classifyAnswer(
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
