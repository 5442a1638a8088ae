import { z } from 'zod';
import type { Stub } from './service.ts';

export const zulip: Stub = {
  config: base => ({
    server: `${base}zulip`,
    bot_email: 'bot@example.com',
    api_key: 'secret-zulip-key',
    channel: 'operations',
  }),
  service: {
    method: 'POST',
    path: /^\/zulip\/api\/v1\/messages$/,
    takes: z.strictObject({
      type: z.enum(['stream', 'channel', 'direct']),
      to: z.literal('operations'),
      topic: z.string().min(1).max(60),
      content: z.string().min(1).max(10_000),
    }),
    headers: {
      'content-type': /^application\/x-www-form-urlencoded$/,
      authorization: new RegExp(`^Basic ${Buffer.from('bot@example.com:secret-zulip-key').toString('base64')}$`),
    },
    answer: [200, '{"result":"success","msg":"","id":42}'],
  },
  shown: ['**＿api＿ ˋxˋ ∗y∗ ∼z∼ a_b <\u2060i> &amp; fe80::\u2060a:b**', '›＿api＿'],
};
