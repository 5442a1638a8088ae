import { z } from 'zod';
import { jsonOf, outcomeOf, reasonBytesMax } from '../../../../delivery/transports/answer.ts';
import { cut, cutLines, withoutMarkup } from '../../../../delivery/transports/text.ts';
import { unthreaded } from '../../../../delivery/transports/transport.ts';
import { emailSchema } from '../../../../publishing/subscribers/address.ts';
import { calledType } from '../channel-type.ts';
import { field, serverField, token, urlBelow } from '../fields.ts';

const name = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}]*$/u, 'must be one line');

/** A message of a bot in a topic of a channel: at most 10,000 characters. */
export const zulip = calledType({
  label: 'Zulip',
  about: 'A topic of a channel, written to by a bot',
  schema: z.object({
    server: serverField(
      { label: 'Organization URL', placeholder: 'https://example.zulipchat.com' },
      'URL of the organization.',
    ),
    bot_email: field(emailSchema.describe('Email address of the bot.'), {
      label: 'Bot’s email address',
      placeholder: 'alerts-bot@example.zulipchat.com',
    }),
    api_key: field(token().describe('API key of the bot.'), { label: 'Bot’s API key', isSecret: true }),
    channel: field(name(60).describe('Name of the channel.'), { label: 'Channel', placeholder: 'operations' }),
    topic: field(name(60).default('alerts').describe('Topic of the messages.'), { label: 'Topic' }),
  }),
  request: ({ title, lines, url, acknowledgeUrl }, { server, bot_email, api_key, channel, topic }) => {
    const links = [`[View](${url})`, ...(acknowledgeUrl === null ? [] : [`[Acknowledge](${acknowledgeUrl})`])];
    const heading = `**${cut(withoutMarkup(title), 600)}**`;
    const text = cutLines(lines.map(withoutMarkup), 8000);
    const content = [heading, text, links.join(' · ')].filter(part => part !== '').join('\n');
    const login = Buffer.from(`${bot_email}:${api_key}`).toString('base64');
    return {
      url: urlBelow(server, 'api/v1/messages'),
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${login}` },
      // Servers of before version 9 know a channel as a stream, and later ones by both names.
      body: new URLSearchParams({ type: 'stream', to: channel, topic, content }).toString(),
      bodyBytesMax: reasonBytesMax,
    };
  },
  result: (answer, { nowMs }) => {
    const after = (jsonOf(answer) as { 'retry-after'?: unknown } | null)?.['retry-after'];
    const retryMs = answer.status === 429 && typeof after === 'number' ? Math.ceil(after * 1000) : null;
    return unthreaded(outcomeOf(answer, nowMs, { retryMs }));
  },
});
