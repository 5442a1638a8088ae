import { z } from 'zod';
import { jsonPost } from '../../../../delivery/transports/answer.ts';
import { cut, cutLines, escapeMarkdown } from '../../../../delivery/transports/text.ts';
import { byStatus, calledType } from '../channel-type.ts';
import { secretUrl } from '../fields.ts';
import { toneColor } from '../tone-color.ts';

/** An attachment for an incoming webhook. A post has at most 16,383 characters. */
export const mattermost = calledType({
  label: 'Mattermost',
  about: 'An incoming webhook of a channel',
  schema: z.object({
    url: secretUrl(
      { label: 'Webhook URL', placeholder: 'https://mattermost.example.com/hooks/…' },
      'URL of an incoming webhook.',
    ),
  }),
  request: ({ tone, title, lines, url, acknowledgeUrl }, config) => {
    const links = [`[View](${url})`, ...(acknowledgeUrl === null ? [] : [`[Acknowledge](${acknowledgeUrl})`])];
    const heading = `**${cut(title, 600, 'characters', escapeMarkdown)}**`;
    const text = cutLines(lines, 8000, { write: escapeMarkdown });
    const attachment = {
      // Notifications show it, and mention whom it names.
      fallback: cut(title.replaceAll('@', '@\u200b'), 600),
      color: toneColor(tone),
      text: [heading, text, links.join(' · ')].filter(part => part !== '').join('\n'),
    };
    return jsonPost(config.url, { attachments: [attachment] });
  },
  result: byStatus,
});
