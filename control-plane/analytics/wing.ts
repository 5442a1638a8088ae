import { sqlOf } from '../platform/db/sql.ts';
import type { ApiServices, Served, Wing } from '../platform/services.ts';
import { analyticsEndpoints } from './endpoints.ts';
import { createIngest } from './events/create-ingest.ts';
import type { IngestTallies } from './events/tally.ts';
import type { EventWriter } from './events/writer.ts';
import { requestReattribution } from './flows/roll-up/queue-store.ts';
import type { Incidents } from './impact/incidents.ts';
import type { ReleaseHooks } from './releases/hooks.ts';
import { analyticsTimers } from './timers.ts';

type AnalyticsApi = ApiServices & {
  eventWriter: EventWriter;
  tallies: IngestTallies;
  /** Whether events are accepted for a while also when the database is away. */
  outlivesDatabase: boolean;
};

const releaseHooks: ReleaseHooks = { released: requestReattribution };

export const analytics = {
  serve: (services: AnalyticsApi, incidents: Incidents): Served => {
    const ingest = createIngest(services);
    const { series } = services;
    const releases = { hooks: releaseHooks, series, limiter: ingest.limiter };
    return { endpoints: analyticsEndpoints({ ingest, releases, incidents, sql: sqlOf(services.pools.background) }) };
  },
  timers: analyticsTimers,
} satisfies Wing & Record<string, unknown>;
