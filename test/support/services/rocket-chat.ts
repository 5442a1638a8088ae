import { z } from 'zod';
import type { Stub } from './service.ts';

const attachment = z.strictObject({
  color: z.string().regex(/^#[0-9a-f]{6}$/),
  title: z.string().min(1),
  title_link: z.url(),
  text: z.string().min(1).max(4000).optional(),
});

export const rocketChat: Stub = {
  config: base => ({ url: `${base}hooks/secret-rocket/secret-chat` }),
  service: {
    method: 'POST',
    path: /^\/hooks\/secret-rocket\/secret-chat$/,
    takes: z.strictObject({ text: z.string().min(1).max(1000), attachments: z.array(attachment).min(1).max(2) }),
    answer: [200, '{"success":true}'],
  },
  shown: ['＿api＿ ˋxˋ ∗y∗ ∼z∼ a_b <\u2060i> &amp; fe80::\u2060a:b', '›＿api＿'],
};
