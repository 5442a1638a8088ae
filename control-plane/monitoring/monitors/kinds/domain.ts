import { z } from 'zod';
import { registrableOf } from '../../rdap/registrable.ts';
import type { Kind } from './kind.ts';
import { endpointOf, hostUrlError } from './target.ts';

const daySeconds = 86_400;
const form = 'domain://name';

/** What is stored of the kind: the registrable name, by which lookups find their monitors. */
const own = z.object({ name: z.string().max(253).default('') });
export type DomainSettings = z.output<typeof own>;

function nameOf(url: string): string | null {
  return hostUrlError(url, form, { port: false }) === null ? registrableOf(endpointOf(url).host) : null;
}

export const domain: Kind<DomainSettings> = {
  kind: 'domain',
  schemes: ['domain:'],
  own,
  intervalMin: daySeconds,
  intervalMax: daySeconds,
  withoutAgents: { voter: 'registry', timeoutMs: 15_000, takesUrl: true, intervalSeconds: daySeconds },
  assertions: [],
  hasCertificate: false,
  egress: 'none',
  takesAuth: false,
  takesHttpVersion: false,
  encodedUrl: url => url.trim(),
  urlError: url =>
    hostUrlError(url, form, { port: false }) ?? (nameOf(url) === null ? 'must be a name under a public suffix' : null),
  ownOf: url => ({ name: nameOf(url) ?? '' }),
  errors: () => [],
  needs: () => [],
  check: () => null,
};
