import { z } from 'zod';
import { jsonOf, jsonPost, outcomeOf } from '../../../../delivery/transports/answer.ts';
import { cut, cutLines, escapeMarkdown } from '../../../../delivery/transports/text.ts';
import { unthreaded } from '../../../../delivery/transports/transport.ts';
import { calledType } from '../channel-type.ts';
import { field, secretUrl } from '../fields.ts';
import { toneColor } from '../tone-color.ts';

/** A webhook of Discord: the title of an embed has at most 256 characters, its description 4096. */
export const discord = calledType({
  label: 'Discord',
  about: 'A webhook of a channel',
  schema: z.object({
    url: secretUrl({ label: 'Webhook URL', placeholder: 'https://discord.com/api/webhooks/…' }),
    thread_id: field(
      z
        .string()
        .regex(/^\d{5,20}$/, 'must be the ID of a thread')
        .nullable()
        .default(null),
      { label: 'Thread ID' },
    ),
  }),
  request: (message, config) => {
    const url = new URL(config.url);
    if (config.thread_id !== null) url.searchParams.set('thread_id', config.thread_id);
    const links = [`[View](${message.url})`];
    if (message.acknowledgeUrl !== null) links.push(`[Acknowledge](${message.acknowledgeUrl})`);
    const tail = `\n\n${links.join(' · ')}`;
    const text = cutLines(message.lines, 4096 - tail.length, { write: escapeMarkdown });
    const embed = {
      title: cut(message.title, 256, 'characters', escapeMarkdown),
      url: message.url,
      description: `${text}${tail}`,
      color: Number.parseInt(toneColor(message.tone).slice(1), 16),
    };
    const request = jsonPost(url.href, { embeds: [embed], allowed_mentions: { parse: [] } });
    return { ...request, bodyBytesMax: 4096 };
  },
  result: (answer, { nowMs }) => {
    const after = (jsonOf(answer) as { retry_after?: unknown } | null)?.retry_after;
    const retryMs = answer.status === 429 && typeof after === 'number' ? Math.ceil(after * 1000) : null;
    return unthreaded(outcomeOf(answer, nowMs, { retryMs }));
  },
});
