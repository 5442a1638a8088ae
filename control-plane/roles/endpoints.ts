import { type AnalyticsServices, analyticsEndpoints } from '../analytics/endpoints.ts';
import { allDeliveryEndpoints, type DeliveryServices } from '../delivery/endpoints.ts';
import { type MonitoringServices, monitoringEndpoints } from '../monitoring/endpoints.ts';
import { channelTypeNames } from '../on-call/channels/types/registry.ts';
import { type OnCallServices, onCallEndpoints } from '../on-call/endpoints.ts';
import { platformEndpoints } from '../platform/endpoints.ts';
import type { Endpoint } from '../platform/http/endpoint/endpoint.ts';
import { type PublishingServices, publishingEndpoints } from '../publishing/endpoints.ts';
import { type WebServices, webEndpoints } from '../web/endpoints.ts';

export type AllServices = MonitoringServices &
  PublishingServices &
  Omit<DeliveryServices, 'channelTypes'> &
  OnCallServices &
  AnalyticsServices &
  WebServices;

/** Every endpoint of the API. */
export function allEndpoints(services: AllServices): readonly Endpoint[] {
  return [
    ...platformEndpoints,
    ...monitoringEndpoints(services),
    ...publishingEndpoints(services),
    ...allDeliveryEndpoints({ ...services, channelTypes: channelTypeNames }),
    ...onCallEndpoints(services),
    ...analyticsEndpoints(services),
    ...webEndpoints(services),
  ];
}
