import { z } from 'zod';
import type { Stub } from './service.ts';

export const gotify: Stub = {
  config: base => ({ server: `${base}gotify`, token: 'secret-gotify' }),
  service: {
    method: 'POST',
    path: /^\/gotify\/message$/,
    takes: z.strictObject({
      title: z.string().min(1).max(250),
      message: z.string().min(1),
      priority: z.int().min(0).max(10),
      extras: z.strictObject({
        'client::display': z.strictObject({ contentType: z.literal('text/plain') }),
        'client::notification': z.strictObject({ click: z.strictObject({ url: z.url() }) }),
      }),
    }),
    headers: { 'x-gotify-key': /^secret-gotify$/ },
    answer: [200, '{"id":1,"appid":1,"message":"x","date":"2026-11-22T09:30:00Z"}'],
  },
  shown: ['_api_ `x` *y* ~z~ a_b <i> &amp; fe80::a:b', '>_api_ `x` *y* ~z~ a_b <i> &amp; fe80::a:b'],
};
