import type { OutboundRequest } from '../../../platform/http/outbound.ts';
import { jsonPost } from '../answer.ts';
import { type SlackContent, slackBody } from './bot.ts';

/** A message to an incoming webhook, which posts to one channel and cannot reply in threads. */
export function slackWebhookPost(url: string, content: SlackContent): OutboundRequest {
  return jsonPost(url, slackBody(content));
}
