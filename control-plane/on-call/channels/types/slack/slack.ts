import { z } from 'zod';
import { outcomeOf } from '../../../../delivery/transports/answer.ts';
import { readSlackAnswer, type SlackThread, slackPost } from '../../../../delivery/transports/slack/bot.ts';
import { slackWebhookPost } from '../../../../delivery/transports/slack/incoming.ts';
import {
  cutSlack,
  escapeSlack,
  slackDate,
  slackSection,
  slackSectionMax,
} from '../../../../delivery/transports/slack/text.ts';
import { cutLines, unformatted } from '../../../../delivery/transports/text.ts';
import { unthreaded } from '../../../../delivery/transports/transport.ts';
import { webhookUrlSchema } from '../../../../publishing/subscribers/address.ts';
import type { Message } from '../../message.ts';
import { calledType } from '../channel-type.ts';
import { field, maskable } from '../fields.ts';

/** In notifications, which show 150 characters of it or so. */
const fallbackMax = 1000;
/** Our own lines, with the instants that `utcText` writes in each reader's time zone. */
const writeLine = (text: string) =>
  escapeSlack(text).replace(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC/g, utc => {
    const ms = Date.parse(utc);
    return Number.isNaN(ms) ? utc : slackDate(ms);
  });

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
    const content = {
      text: cutSlack(unformatted(message.title), fallbackMax),
      blocks: blocksOf(message, slackButtons && channel !== null),
    };
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

function blocksOf({ title, lines, url, acknowledgeUrl }: Message, clicks: boolean): unknown[] {
  const text = cutLines(lines.map(unformatted), slackSectionMax, { write: writeLine });
  const button = (label: string, more: object) => ({
    type: 'button',
    text: { type: 'plain_text', text: label },
    ...more,
  });
  // The value of a button has at most 2000 characters.
  const target = clicks
    ? { action_id: 'acknowledge', value: acknowledgeUrl?.split('/').at(-1) ?? '' }
    : { action_id: 'acknowledge_link', url: acknowledgeUrl };
  return [
    slackSection(`*${cutSlack(unformatted(title), slackSectionMax - 2)}*`),
    ...(text === '' ? [] : [slackSection(text)]),
    {
      type: 'actions',
      elements: [
        button('View', { action_id: 'view', url }),
        ...(acknowledgeUrl === null ? [] : [button('Acknowledge', { style: 'primary', ...target })]),
      ],
    },
  ];
}
