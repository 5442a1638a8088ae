import { z } from 'zod';
import { jsonPost } from '../../../../delivery/transports/answer.ts';
import { cut, cutLines } from '../../../../delivery/transports/text.ts';
import { byStatus, calledType } from '../channel-type.ts';
import { field, serverField, token, urlBelow } from '../fields.ts';

/** From 8 on, phones show a message above everything else; below 4 they make no sound. */
const priorities = { p1: 8, p2: 5, p3: 3 };

/** A message of an application, as plain text: Markdown of somebody else could load images. */
export const gotify = calledType({
  label: 'Gotify',
  about: 'Push notifications by your own server',
  schema: z.object({
    server: serverField({ label: 'Server', placeholder: 'https://gotify.example.com' }, 'URL of the server.'),
    token: field(token().describe('Token of an application.'), { label: 'Application token', isSecret: true }),
  }),
  request: ({ tone, severity, title, lines, url, acknowledgeUrl }, config) => {
    const links = [`View: ${url}`, ...(acknowledgeUrl === null ? [] : [`Acknowledge: ${acknowledgeUrl}`])];
    const text = cutLines(lines, 4000);
    const isOver = tone === 'ok' || tone === 'note';
    return jsonPost(
      urlBelow(config.server, 'message'),
      {
        title: cut(title, 250),
        message: [...(text === '' ? [] : [text]), ...links].join('\n'),
        priority: isOver ? 3 : priorities[severity],
        extras: {
          'client::display': { contentType: 'text/plain' },
          'client::notification': { click: { url: acknowledgeUrl ?? url } },
        },
      },
      { 'x-gotify-key': config.token },
    );
  },
  result: byStatus,
});
