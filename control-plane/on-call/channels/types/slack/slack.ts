import { z } from 'zod';
import { outcomeOf } from '../../../../delivery/transports/answer.ts';
import { type SlackButton, slackContent } from '../../../../delivery/transports/slack/blocks.ts';
import { readSlackAnswer, type SlackThread, slackPost } from '../../../../delivery/transports/slack/bot.ts';
import { slackWebhookPost } from '../../../../delivery/transports/slack/incoming.ts';
import { unthreaded } from '../../../../delivery/transports/transport.ts';
import { webhookUrlSchema } from '../../../../publishing/subscribers/address.ts';
import type { Message } from '../../message.ts';
import { calledType } from '../channel-type.ts';
import { field, maskable } from '../fields.ts';

const schema = z
  .object({
    channel: field(
      z
        .string()
        .regex(/^(#[^\s#@<>&]{1,80}|[CGD][A-Z0-9]{5,20})$/, 'must be #name or a channel’s ID')
        .nullable()
        .default(null)
        .describe('Slack channel that the project’s bot posts to.'),
      { label: 'Channel of the bot', placeholder: '#alerts' },
    ),
    webhook_url: field(
      maskable(webhookUrlSchema).nullable().default(null).describe('URL of an incoming webhook, instead of the bot.'),
      {
        label: 'Or an incoming webhook',
        placeholder: 'https://hooks.slack.com/services/…',
        isSecret: true,
        isAddress: true,
      },
    ),
  })
  .superRefine((config, context) => {
    if ((config.channel === null) === (config.webhook_url === null))
      context.addIssue({
        code: 'custom',
        path: ['channel'],
        params: { code: 'required' },
        message: 'give either `channel` or `webhook_url`',
      });
  });

/** The project's bot, which replies in a thread, or an incoming webhook, which cannot. */
export const slack = calledType({
  label: 'Slack',
  about: 'A channel of the project’s bot, or an incoming webhook',
  needsSlack: true,
  schema,
  request: (message, { channel, webhook_url }, { addresses, slackToken: token, slackButtons, thread }) => {
    const content = slackContent(message.title, message.lines, buttonsOf(message, slackButtons && channel !== null));
    if (webhook_url !== null) return slackWebhookPost(webhook_url, content);
    if (token === null) return { onHold: 'Slack is not connected' };
    const broadcast = message.step === 'escalated' || message.step === 'reminder';
    const target = { apiUrl: addresses.slack, token, channel: channel ?? '', thread: slackThread(thread) };
    return slackPost({ ...content, broadcast }, target);
  },
  // An incoming webhook answers with a word, not with JSON; a bot that gets none was not heard by Slack.
  result: (answer, { nowMs }, { webhook_url }) =>
    webhook_url === null ? readSlackAnswer(answer, nowMs) : unthreaded(outcomeOf(answer, nowMs)),
});

function slackThread(thread: Readonly<Record<string, string>> | null): SlackThread | null {
  return thread === null ? null : { channel_id: thread.channel_id ?? '', ts: thread.ts ?? '' };
}

function buttonsOf({ url, acknowledgeUrl }: Message, clicks: boolean): SlackButton[] {
  const view = { label: 'View', more: { action_id: 'view', url } };
  if (acknowledgeUrl === null) return [view];
  // The value of a button has at most 2000 characters.
  const target = clicks
    ? { action_id: 'acknowledge', value: acknowledgeUrl.split('/').at(-1) ?? '' }
    : { action_id: 'acknowledge_link', url: acknowledgeUrl };
  return [view, { label: 'Acknowledge', more: { style: 'primary', ...target } }];
}
