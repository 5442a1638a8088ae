import { z } from 'zod';
import { jsonPost } from '../../../../delivery/transports/answer.ts';
import { cut, cutLines, withoutMarkup } from '../../../../delivery/transports/text.ts';
import { byStatus, calledType } from '../channel-type.ts';
import { secretUrl } from '../fields.ts';
import { toneColor } from '../tone-color.ts';

/** A message with attachments for an incoming webhook: 5000 characters unless the workspace allows more. */
export const rocketChat = calledType({
  label: 'Rocket.Chat',
  about: 'An incoming webhook of a channel',
  schema: z.object({
    url: secretUrl(
      { label: 'Webhook URL', placeholder: 'https://chat.example.com/hooks/…' },
      'URL of an incoming webhook.',
    ),
  }),
  request: ({ tone, title, lines, url, acknowledgeUrl }, config) => {
    const color = toneColor(tone);
    const text = cutLines(lines.map(withoutMarkup), 4000);
    const view = { color, title: 'View', title_link: url, ...(text === '' ? {} : { text }) };
    const acknowledge = { color, title: 'Acknowledge', title_link: acknowledgeUrl };
    return jsonPost(config.url, {
      text: cut(withoutMarkup(title), 900),
      attachments: [view, ...(acknowledgeUrl === null ? [] : [acknowledge])],
    });
  },
  result: byStatus,
});
