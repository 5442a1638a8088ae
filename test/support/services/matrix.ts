import { z } from 'zod';
import type { Stub } from './service.ts';

export const matrix: Stub = {
  config: base => ({ server: `${base}matrix/`, access_token: 'secret-matrix', room_id: '!room:example.com' }),
  service: {
    method: 'PUT',
    path: /^\/matrix\/_matrix\/client\/v3\/rooms\/!room%3Aexample\.com\/send\/m\.room\.message\/[\w-]+$/,
    takes: z
      .strictObject({
        msgtype: z.enum(['m.text', 'm.notice']),
        body: z.string().min(1),
        format: z.literal('org.matrix.custom.html'),
        formatted_body: z.string().min(1),
        'm.mentions': z.strictObject({}),
        'm.relates_to': z
          .strictObject({ 'm.in_reply_to': z.strictObject({ event_id: z.string().startsWith('$') }) })
          .optional(),
      })
      .refine(content => Buffer.byteLength(JSON.stringify(content)) < 60_000, 'an event has at most 64 KiB'),
    headers: { authorization: /^Bearer secret-matrix$/ },
    answer: [200, '{"event_id":"$event:example.com"}'],
  },
  shown: [
    '<b>_api_ `x` *y* ~z~ a_b &lt;i&gt; &amp;amp; fe80::a:b</b>',
    '\n>_api_ `x` *y* ~z~ a_b <i> &amp; fe80::a:b\n',
  ],
};
