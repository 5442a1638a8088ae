import { escapeSlack, slackDate, slackSectionMax, unformatted } from '../../../delivery/notifications/slack/message.ts';
import { classifySlackAnswer } from '../../../delivery/notifications/slack/send.ts';
import { type Adapter, jsonPost, resultOf } from '../adapter.ts';
import type { ChannelConfig } from '../config.ts';
import type { Message } from '../message.ts';
import { cut, cutLines } from '../text.ts';

/** Slack takes 150 characters in a notification comfortably, 3000 in a section and 2000 in the value of a button. */
const fallbackMax = 1000;
/** Where the words are written by us: Slack makes no links of them and mentions nobody. */
const write = (text: string) => escapeSlack(text, Number.POSITIVE_INFINITY);
/** The same with the instants that `utcText` writes in each reader's time zone. */
const writeLine = (text: string) =>
  write(text).replace(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC/g, utc => {
    const ms = Date.parse(utc);
    return Number.isNaN(ms) ? utc : slackDate(ms);
  });

/** The project's bot, which replies in a thread, or an incoming webhook, which cannot. */
export const slack: Adapter<ChannelConfig<'slack'>> = {
  request: (message, config, context) => {
    const content = {
      text: cut(unformatted(message.title), fallbackMax, 'characters', write),
      blocks: blocksOf(message, context.slackButtons && config.channel !== null),
      unfurl_links: false,
      unfurl_media: false,
    };
    if (config.webhook_url !== null) return jsonPost(config.webhook_url, content);
    if (context.slackToken === null) return { held: 'Slack is not connected' };
    const { thread } = context;
    const isLoud = message.step === 'escalated' || message.step === 'reminder';
    const reply = thread === null ? {} : { thread_ts: thread.ts, ...(isLoud ? { reply_broadcast: true } : {}) };
    const request = jsonPost(
      `${context.addresses.slack}/chat.postMessage`,
      { channel: thread?.channel_id ?? config.channel, ...content, ...reply },
      { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${context.slackToken}` },
    );
    return { ...request, bodyBytesMax: 65_536 };
  },
  result: (answer, context, config) => {
    // An incoming webhook answers with a word, not with JSON; a bot that gets none was not heard by Slack.
    if (config.webhook_url !== null) return resultOf(answer, context.nowMs);
    const { outcome, posted } = classifySlackAnswer(answer, context.nowMs);
    return { outcome, thread: posted === null ? null : { channel_id: posted.channel_id, ts: posted.ts } };
  },
};

function blocksOf(message: Message, clicks: boolean): unknown[] {
  const { acknowledgeUrl } = message;
  const title = cut(unformatted(message.title), slackSectionMax - 2, 'characters', write);
  const text = cutLines(message.lines.map(unformatted), slackSectionMax, { write: writeLine });
  const button = (label: string, more: object) => ({
    type: 'button',
    text: { type: 'plain_text', text: label },
    ...more,
  });
  const token = acknowledgeUrl?.split('/').at(-1) ?? '';
  const target = clicks
    ? { action_id: 'acknowledge', value: token }
    : { action_id: 'acknowledge_link', url: acknowledgeUrl };
  return [
    section(`*${title}*`),
    ...(text === '' ? [] : [section(text)]),
    {
      type: 'actions',
      elements: [
        button('View', { action_id: 'view', url: message.url }),
        ...(acknowledgeUrl === null ? [] : [button('Acknowledge', { style: 'primary', ...target })]),
      ],
    },
  ];
}

function section(text: string) {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}
