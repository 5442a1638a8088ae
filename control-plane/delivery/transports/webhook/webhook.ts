import { createHmac } from 'node:crypto';
import type { Outbound, OutboundRequest } from '../../../platform/http/outbound.ts';
import { jsonHeaders, outcomeOfReceiver } from '../answer.ts';
import { callService, type Transport, unthreaded } from '../transport.ts';

/** What is signed: the same in each attempt. */
export type WebhookMessage = { id: string; body: string };

/** Signed with each of the secrets: there are two while one is rotated. */
export type WebhookTarget = { url: string; secrets: readonly string[]; nowMs: number };

/** A request signed as standard-webhooks specifies. */
export function webhookRequest({ id, body }: WebhookMessage, { url, secrets, nowMs }: WebhookTarget): OutboundRequest {
  const timestamp = Math.floor(nowMs / 1000);
  return {
    url,
    headers: {
      ...jsonHeaders,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': secrets.map(secret => signWebhook(secret, id, timestamp, body)).join(' '),
    },
    body,
    bodyBytesMax: 0,
  };
}

/** To an endpoint that a customer runs. */
export const webhookTransport: Transport<WebhookMessage, WebhookTarget & { outbound: Outbound }> = {
  send: (message, { outbound, ...target }) =>
    callService(outbound, webhookRequest(message, target), answer =>
      unthreaded(outcomeOfReceiver(answer, target.nowMs)),
    ),
};

/** `v1,` and the HMAC-SHA256 of id, time and body in Base64. The key is what follows `whsec_`, in Base64. */
export function signWebhook(secret: string, id: string, timestampSeconds: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`;
}
