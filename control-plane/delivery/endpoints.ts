import type { Endpoint } from '../platform/http/endpoint/endpoint.ts';
import { deliveryEndpoints } from './notifications/routes.ts';
import { webhookEndpoints } from './notifications/webhooks/routes.ts';
import { slackEndpoints } from './transports/slack/routes.ts';

export type DeliveryServices = Parameters<typeof deliveryEndpoints>[0] &
  Parameters<typeof webhookEndpoints>[0] &
  Parameters<typeof slackEndpoints>[0];

/** The API of this wing. */
export function allDeliveryEndpoints(services: DeliveryServices): readonly Endpoint[] {
  return [...deliveryEndpoints(services), ...webhookEndpoints(services), ...slackEndpoints(services)];
}
