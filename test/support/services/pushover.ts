import { z } from 'zod';
import type { Stub } from './service.ts';

const key = z.string().regex(/^[A-Za-z0-9]{30}$/);

export const pushover: Stub = {
  config: () => ({ token: 'secretPushoverToken00000000000', user: 'secretPushoverUser000000000000' }),
  service: {
    method: 'POST',
    path: /^\/1\/messages\.json$/,
    takes: z.strictObject({
      token: key,
      user: key,
      device: z.string().optional(),
      title: z.string().min(1).max(250),
      message: z.string().min(1).max(1024),
      priority: z.int().min(-2).max(1),
      timestamp: z.int(),
      url: z.url().max(512),
      url_title: z.string().min(1).max(100),
    }),
    answer: [200, '{"status":1,"request":"647d2300-702c-4b38-8b2f-d56326ae460b"}'],
  },
  shown: ['_api_ `x` *y* ~z~ a_b <i> &amp; fe80::a:b', '>_api_ `x` *y* ~z~ a_b <i> &amp; fe80::a:b'],
};
