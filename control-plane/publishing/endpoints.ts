import type pg from 'pg';
import { type Endpoint, publishing } from '../platform/http/endpoint/endpoint.ts';
import type { Keyring } from '../platform/secrets/keyring.ts';
import { incidentEndpoints } from './incidents/routes.ts';
import type { LookUp } from './status-pages/domains/look-up.ts';
import type { PreviewRequest } from './status-pages/publish/previewer.ts';
import { statusPageEndpoints } from './status-pages/routes.ts';
import { subscriberEndpoints } from './subscribers/routes.ts';
import type { SubscriberServices } from './subscribers/subscribe.ts';
import { uptimeEndpoints } from './uptime/routes.ts';

export type PublishingServices = {
  baseUrl: string;
  /** False without an SMTP server. */
  canMail: boolean;
  keyring: Keyring;
  preview(request: PreviewRequest): Promise<string>;
  subscribing: SubscriberServices;
  lookUp: LookUp;
  /** Sees all projects. */
  pool: pg.Pool;
};

/** The API of this wing. */
export function publishingEndpoints(services: PublishingServices): readonly Endpoint[] {
  return [
    ...uptimeEndpoints,
    ...incidentEndpoints(services).map(publishing),
    ...statusPageEndpoints(services),
    ...subscriberEndpoints(services.subscribing),
  ];
}
