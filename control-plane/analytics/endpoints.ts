import type { HashSecret } from '../platform/audit/sealed.ts';
import type { Sql } from '../platform/db/sql.ts';
import { type Endpoint, publishing } from '../platform/http/endpoint/endpoint.ts';
import { cohortEndpoints } from './cohorts/routes.ts';
import { erasureEndpoints } from './erasures/routes.ts';
import type { IngestServices } from './events/ingest.ts';
import { eventEndpoints } from './events/routes.ts';
import { exportEndpoints } from './exports/routes.ts';
import { flowEndpoints } from './flows/routes.ts';
import type { Incidents } from './impact/incidents.ts';
import { impactEndpoints } from './impact/routes.ts';
import type { ReleaseServices } from './releases/post-release.ts';
import { releaseEndpoints } from './releases/routes.ts';
import { reportEndpoints } from './reports/routes.ts';
import { trendEndpoints } from './trends/routes.ts';

export type AnalyticsServices = {
  ingest: IngestServices;
  releases: ReleaseServices;
  incidents: Incidents;
  sql: Sql;
  hash: HashSecret;
};

/** The API of this wing. */
export function analyticsEndpoints({ ingest, releases, incidents, sql, hash }: AnalyticsServices): readonly Endpoint[] {
  return [
    ...impactEndpoints(incidents),
    ...eventEndpoints(ingest),
    ...exportEndpoints(sql),
    ...erasureEndpoints(hash),
    ...releaseEndpoints(releases).map(publishing),
    ...flowEndpoints,
    ...trendEndpoints,
    ...cohortEndpoints,
    ...reportEndpoints,
  ];
}
