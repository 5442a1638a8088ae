import { z } from 'zod';
import { starttlsProtocols } from '#shared/checks/vocabulary.ts';
import type { Kind } from './kind.ts';
import { endpointOf, hostUrlError } from './target.ts';

const own = z
  .object({
    starttls: z
      .enum(starttlsProtocols)
      .nullable()
      .default(null)
      .describe('Protocol in which TLS is asked for; null: TLS begins at once.'),
  })
  .meta({ title: 'TlsCheck' });
export type TlsSettings = z.output<typeof own>;

export const tls: Kind<TlsSettings> = {
  kind: 'tls',
  schemes: ['tls:'],
  own,
  intervalMin: 10,
  intervalMax: 86_400,
  withoutAgents: null,
  assertions: ['tls_version', 'addresses'],
  hasCertificate: true,
  egress: 'whole',
  takesAuth: false,
  takesHttpVersion: false,
  encodedUrl: url => url.trim(),
  urlError: url => hostUrlError(url, 'tls://host:port', { port: true }),
  errors: () => [],
  needs: () => ['tls'],
  check: ({ url, own: { starttls } }) => ({ kind: 'tls', ...endpointOf(url), starttls }),
};
