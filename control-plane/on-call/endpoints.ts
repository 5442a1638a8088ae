import type { Endpoint } from '../platform/http/endpoint/endpoint.ts';
import { alertGroupEndpoints } from './acknowledgements/routes.ts';
import { type ChannelEndpointServices, channelEndpoints } from './channels/routes.ts';
import { explanationEndpoints } from './explain/routes.ts';
import { routeEndpoints } from './routing/routes.ts';
import { isChannelRouted } from './routing/store.ts';

export type OnCallServices = { channels: Omit<ChannelEndpointServices, 'isRouted'> };

/** The API of this wing. */
export function onCallEndpoints({ channels }: OnCallServices): readonly Endpoint[] {
  return [
    ...explanationEndpoints,
    ...alertGroupEndpoints,
    ...routeEndpoints,
    ...channelEndpoints({ ...channels, isRouted: isChannelRouted }),
  ];
}
