import { z } from 'zod';
import type { Stub } from './service.ts';

export const mattermost: Stub = {
  config: base => ({ url: `${base}mattermost/secret-mattermost` }),
  service: {
    method: 'POST',
    path: /^\/mattermost\/secret-mattermost$/,
    takes: z.strictObject({
      attachments: z.tuple([
        z.strictObject({
          fallback: z.string().min(1).max(1000),
          color: z.string().regex(/^#[0-9a-f]{6}$/),
          text: z.string().min(1).max(16_383),
        }),
      ]),
    }),
    answer: [200, 'ok'],
  },
  shown: ['**\\_api\\_ \\`x\\` \\*y\\* \\~z\\~ a\\_b \\<i\\> &amp; fe80\\:\\:a\\:b**'],
};
