import { type Endpoint, publishing } from '../platform/http/endpoint/endpoint.ts';
import type { IngestServices } from './events/ingest.ts';
import { eventEndpoints } from './events/routes.ts';
import { flowEndpoints } from './flows/routes.ts';
import { impactEndpoints } from './impact/routes.ts';
import type { ReleaseServices } from './releases/post-release.ts';
import { releaseEndpoints } from './releases/routes.ts';
import { trendEndpoints } from './trends/routes.ts';

export type AnalyticsServices = { ingest: IngestServices; releases: ReleaseServices };

/** The API of this wing. */
export function analyticsEndpoints({ ingest, releases }: AnalyticsServices): readonly Endpoint[] {
  return [
    ...impactEndpoints,
    ...eventEndpoints(ingest),
    ...releaseEndpoints(releases).map(publishing),
    ...flowEndpoints,
    ...trendEndpoints,
  ];
}
