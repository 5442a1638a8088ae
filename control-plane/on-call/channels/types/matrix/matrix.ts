import { z } from 'zod';
import { jsonHeaders, jsonOf, outcomeOf, reasonBytesMax } from '../../../../delivery/transports/answer.ts';
import { cut, cutLines } from '../../../../delivery/transports/text.ts';
import { escapeText } from '../../../../platform/markup/escape.ts';
import { calledType } from '../channel-type.ts';
import { field, serverField, token, urlBelow } from '../fields.ts';

const eventId = /^\$\S{1,254}$/;

/**
 * A message of a room, for which the server needs the account of a bot that has joined it. An event has at most 64 KiB.
 * The transaction id is the delivery's: what is sent again is shown once. Later messages of a group reply to its first.
 */
export const matrix = calledType({
  label: 'Matrix',
  about: 'A room, written to by a bot’s account',
  schema: z.object({
    server: serverField(
      { label: 'Homeserver', placeholder: 'https://matrix.example.com' },
      'URL of the homeserver’s client API.',
    ),
    access_token: field(token().describe('Access token of the bot’s account.'), {
      label: 'Access token',
      isSecret: true,
    }),
    room_id: field(
      z
        .string()
        .regex(/^![^\s/]{1,254}$/, 'must be a room’s ID such as !abc:example.com')
        .describe('ID of a room that the bot has joined.'),
      {
        label: 'Room ID',
        placeholder: '!abc:example.com',
        hint: 'In the room’s settings, under Advanced. The bot must have joined the room.',
      },
    ),
  }),
  request: ({ title, lines, url, acknowledgeUrl }, { server, access_token, room_id }, { deliveryId, thread }) => {
    const links = [
      ['View', url] as const,
      ...(acknowledgeUrl === null ? [] : [['Acknowledge', acknowledgeUrl] as const]),
    ];
    const heading = cut(title, 1000, 'bytes');
    const text = cutLines(lines, 10_000, { unit: 'bytes' });
    const html = [
      `<b>${cut(title, 2000, 'bytes', escapeText)}</b>`,
      cutLines(lines, 20_000, { unit: 'bytes', write: escapeText, join: '<br>' }),
      links.map(([label, link]) => `<a href="${escapeText(link)}">${label}</a>`).join(' · '),
    ];
    const reply = { 'm.relates_to': { 'm.in_reply_to': { event_id: thread?.event_id } } };
    const body = {
      msgtype: 'm.text',
      body: [heading, text, ...links.map(([label, link]) => `${label}: ${link}`)]
        .filter(part => part !== '')
        .join('\n'),
      format: 'org.matrix.custom.html',
      formatted_body: html.filter(part => part !== '').join('<br>'),
      // Nobody is mentioned, whatever the text holds.
      'm.mentions': {},
      ...(eventId.test(thread?.event_id ?? '') ? reply : {}),
    };
    const path = ['rooms', room_id, 'send', 'm.room.message', deliveryId].map(encodeURIComponent).join('/');
    return {
      url: urlBelow(server, `_matrix/client/v3/${path}`),
      method: 'PUT',
      headers: { ...jsonHeaders, authorization: `Bearer ${access_token}` },
      body: JSON.stringify(body),
      bodyBytesMax: reasonBytesMax,
    };
  },
  result: (answer, { nowMs }) => {
    const { event_id: id, retry_after_ms: after } = (jsonOf(answer) ?? {}) as Answer;
    const outcome = outcomeOf(answer, nowMs, { retryMs: typeof after === 'number' ? after : null });
    const isPosted = outcome.type === 'sent' && typeof id === 'string' && eventId.test(id);
    return { outcome, thread: isPosted ? { event_id: id } : null };
  },
});

type Answer = { event_id?: unknown; retry_after_ms?: unknown };
