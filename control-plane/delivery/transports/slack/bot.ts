import { z } from 'zod';
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../../platform/http/outbound.ts';
import { jsonOf, retryAfterMs } from '../answer.ts';
import { callService, type Sent, type Transport, unthreaded } from '../transport.ts';

/** What is shown, and in notifications the text alone. */
export type SlackContent<Block = unknown> = { text: string; blocks: readonly Block[] };

/** `broadcast`: a reply that is shown in the channel as well as in its thread. */
export type SlackMessage<Block = unknown> = SlackContent<Block> & { broadcast: boolean };

/** A message's place, by Slack's ids. */
export type SlackThread = { channel_id: string; ts: string };

/** A channel by name, or the thread of it that is replied to. */
export type SlackTarget = { apiUrl: string; token: string; channel: string; thread: SlackThread | null };

/** Errors that may pass by themselves; any other would be repeated on a retry. */
const transientErrors = new Set([
  'ratelimited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
]);

/** Stored as it is: what Slack would never answer must not make us post again. */
const word = z.string().regex(/^[\w.-]{1,100}$/);
const answerSchema = z.object({
  ok: z.boolean(),
  error: z.string().max(200).optional(),
  channel: word.optional().catch(undefined),
  ts: word.optional().catch(undefined),
});

/** What is posted, by a bot or to an incoming webhook: without previews of links. */
export function slackBody({ text, blocks }: SlackContent) {
  return { text, blocks, unfurl_links: false, unfurl_media: false };
}

/** A call of chat.postMessage. */
export function slackPost({ broadcast, ...content }: SlackMessage, target: SlackTarget): OutboundRequest {
  const { apiUrl, token, channel, thread } = target;
  const reply = thread === null ? {} : { thread_ts: thread.ts, ...(broadcast ? { reply_broadcast: true } : {}) };
  return {
    url: `${apiUrl}/chat.postMessage`,
    headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${token}` },
    body: JSON.stringify({ channel: thread?.channel_id ?? channel, ...slackBody(content), ...reply }),
    bodyBytesMax: 65_536,
  };
}

/** The project's bot in the channels that it was invited to. Whatever fails, the channel is not to blame. */
export const slackBot: Transport<SlackMessage, SlackTarget & { outbound: Outbound; nowMs: number }, SlackThread> = {
  send: (message, { outbound, nowMs, ...target }) =>
    callService(outbound, slackPost(message, target), answer => readSlackAnswer(answer, nowMs), true),
};

/** What Slack's answer means. Whatever the error, the channel is not to blame: our token or our message is. */
export function readSlackAnswer(answer: OutboundAnswer, nowMs: number): Sent<SlackThread> {
  const retry = (error: string) =>
    unthreaded({
      type: 'failed',
      error,
      retryAfterMs: retryAfterMs(answer.headers['retry-after'], nowMs),
      ours: true,
    });
  if (answer.status === 429) return retry('Slack: ratelimited');
  const parsed = answerSchema.safeParse(jsonOf(answer));
  if (!parsed.success) return retry(`Slack responded with HTTP status ${answer.status}`);
  const { ok, error = 'unknown', channel, ts } = parsed.data;
  if (ok) {
    const thread = channel === undefined || ts === undefined ? null : { channel_id: channel, ts };
    return { outcome: { type: 'sent' }, thread };
  }
  const code = error.replace(/[^a-z0-9_]/g, '').slice(0, 60);
  if (transientErrors.has(code) || answer.status >= 500) return retry(`Slack: ${code}`);
  return unthreaded({ type: 'refused', error: `Slack: ${code}`, gone: false, ours: true });
}
