import { z } from 'zod';
import type { Outbound, OutboundAnswer } from '../http/outbound.ts';
import type { Outcome } from './delivery.ts';
import { classifyOutboundFault, retryAfterMs } from './send-webhook.ts';
import type { SlackMessage } from './slack-message.ts';
import type { SlackThread } from './slack-store.ts';

export type SlackPost = {
  apiUrl: string;
  token: string;
  channel: string;
  message: SlackMessage;
  threadTs: string | null;
};

/** What was said, and where it stands when it was taken. */
export type SlackOutcome = { outcome: Outcome; posted: SlackThread | null };

/** Errors that pass by themselves; all others Slack would answer again. */
const passing = new Set([
  'ratelimited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
]);

const answerSchema = z.object({
  ok: z.boolean(),
  error: z.string().max(200).optional(),
  channel: z.string().optional(),
  ts: z.string().optional(),
});

/** chat.postMessage. */
export async function sendSlack(outbound: Outbound, post: SlackPost, nowMs: number): Promise<SlackOutcome> {
  const { channel, message, threadTs } = post;
  const thread = threadTs === null ? {} : { thread_ts: threadTs };
  try {
    const answer = await outbound.post({
      url: `${post.apiUrl}/chat.postMessage`,
      headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${post.token}` },
      body: JSON.stringify({ channel, ...message, ...thread, unfurl_links: false, unfurl_media: false }),
      bodyBytesMax: 65_536,
    });
    return classifySlackAnswer(answer, nowMs);
  } catch (error) {
    return { outcome: classifyOutboundFault(error, true), posted: null };
  }
}

export function classifySlackAnswer(answer: OutboundAnswer, nowMs: number): SlackOutcome {
  const wait = retryAfterMs(answer.headers['retry-after'], nowMs);
  const again = (error: string): SlackOutcome => ({
    outcome: { type: 'failed', error, retryAfterMs: wait, ours: true },
    posted: null,
  });
  if (answer.status === 429) return again('Slack: ratelimited');
  const said = answerSchema.safeParse(parse(answer.body));
  if (!said.success) return again(`Slack answered ${answer.status}`);
  const { ok, error = 'unknown', channel, ts } = said.data;
  if (ok) {
    const posted = channel === undefined || ts === undefined ? null : { channel_id: channel, ts };
    return { outcome: { type: 'sent' }, posted };
  }
  const code = error.replace(/[^a-z0-9_]/g, '').slice(0, 60);
  if (passing.has(code) || answer.status >= 500) return again(`Slack: ${code}`);
  return { outcome: { type: 'refused', error: `Slack: ${code}`, gone: false, ours: true }, posted: null };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
