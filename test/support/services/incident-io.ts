import { z } from 'zod';
import type { Stub } from './service.ts';

export const incidentIo: Stub = {
  config: () => ({ source_id: '01GW2G3V0S59R238FAHPDS1R66', token: 'secret-incident-io' }),
  service: {
    method: 'POST',
    path: /^\/v2\/alert_events\/http\/01GW2G3V0S59R238FAHPDS1R66$/,
    takes: z.strictObject({
      status: z.enum(['firing', 'resolved']),
      deduplication_key: z.string().min(1),
      title: z.string().min(1),
      description: z.string(),
      source_url: z.url(),
      metadata: z.record(z.string(), z.unknown()),
    }),
    headers: { authorization: /^Bearer secret-incident-io$/ },
    answer: [202, '{"deduplication_key":"agp_1","message":"Event accepted for processing","status":"success"}'],
  },
  shown: [
    '_api_ `x` *y* ~z~ a_b <i> &amp; fe80::a:b',
    '\\>\\_api\\_ \\`x\\` \\*y\\* \\~z\\~ a\\_b \\<i\\> &amp; fe80\\:\\:a\\:b',
  ],
};
