import { z } from 'zod';
import { pingCount } from '#shared/checks/vocabulary.ts';
import type { Kind } from './kind.ts';
import { endpointOf, hostUrlError } from './target.ts';

const own = z
  .object({ count: z.int().min(pingCount.min).max(pingCount.max).default(3).describe('Packets of one check.') })
  .meta({ title: 'PingCheck' });
export type PingSettings = z.output<typeof own>;

export const ping: Kind<PingSettings> = {
  kind: 'ping',
  schemes: ['ping:'],
  own,
  intervalMin: 20,
  intervalMax: 86_400,
  withoutAgents: null,
  assertions: ['packet_loss', 'jitter'],
  hasCertificate: false,
  egress: 'family',
  takesAuth: false,
  takesHttpVersion: false,
  encodedUrl: url => url.trim(),
  urlError: url => hostUrlError(url, 'ping://host', { port: false }),
  errors: ({ timeout_ms, own: settings }) => {
    const needed = (settings?.count ?? 0) * 1000;
    if (timeout_ms == null || timeout_ms >= needed) return [];
    const detail = `must be at least ${needed}: a second for each packet`;
    return [{ pointer: '/timeout_ms', code: 'out_of_range', detail }];
  },
  needs: () => ['ping'],
  check: ({ url, own: { count } }) => ({ kind: 'ping', host: endpointOf(url).host, count }),
};
