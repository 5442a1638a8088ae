import { z } from 'zod';
import type { Outbound, OutboundAnswer } from '../../../platform/http/outbound.ts';
import type { Outcome } from '../delivery.ts';
import { classifyOutboundError, retryAfterMs } from '../webhooks/send.ts';
import type { SlackMessage } from './message.ts';
import type { SlackThread } from './store.ts';

export type SlackPost = {
  apiUrl: string;
  token: string;
  channel: string;
  message: SlackMessage;
  threadTs: string | null;
};

/** `posted` is where Slack put the message; null when it did not accept it. */
export type SlackOutcome = { outcome: Outcome; posted: SlackThread | null };

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

/** Posts a message with chat.postMessage. Failures of Slack and of the network become outcomes. */
export async function sendSlack(outbound: Outbound, post: SlackPost, nowMs: number): Promise<SlackOutcome> {
  const { channel, message, threadTs } = post;
  const { text, blocks, broadcast } = message;
  const thread = threadTs === null ? {} : { thread_ts: threadTs, ...(broadcast ? { reply_broadcast: true } : {}) };
  try {
    const answer = await outbound.post({
      url: `${post.apiUrl}/chat.postMessage`,
      headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${post.token}` },
      body: JSON.stringify({ channel, text, blocks, ...thread, unfurl_links: false, unfurl_media: false }),
      bodyBytesMax: 65_536,
    });
    return classifySlackAnswer(answer, nowMs);
  } catch (error) {
    return { outcome: classifyOutboundError(error, true), posted: null };
  }
}

/** What Slack's answer means. Whatever the error, the channel is not to blame: our token or our message is. */
export function classifySlackAnswer(answer: OutboundAnswer, nowMs: number): SlackOutcome {
  const retry = (error: string): SlackOutcome => ({
    outcome: { type: 'failed', error, retryAfterMs: retryAfterMs(answer.headers['retry-after'], nowMs), ours: true },
    posted: null,
  });
  if (answer.status === 429) return retry('Slack: ratelimited');
  const parsed = answerSchema.safeParse(parse(answer.body));
  if (!parsed.success) return retry(`Slack responded with HTTP status ${answer.status}`);
  const { ok, error = 'unknown', channel, ts } = parsed.data;
  if (ok) {
    const posted = channel === undefined || ts === undefined ? null : { channel_id: channel, ts };
    return { outcome: { type: 'sent' }, posted };
  }
  const code = error.replace(/[^a-z0-9_]/g, '').slice(0, 60);
  if (transientErrors.has(code) || answer.status >= 500) return retry(`Slack: ${code}`);
  return { outcome: { type: 'refused', error: `Slack: ${code}`, gone: false, ours: true }, posted: null };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
