import { createSecretHash } from '../platform/audit/sealed.ts';
import { sqlOf } from '../platform/db/sql.ts';
import type { Caller } from '../platform/http/endpoint/caller.ts';
import { createPepper } from '../platform/secrets/pepper-store.ts';
import type { ApiServices, Served, Wing } from '../platform/services.ts';
import { analyticsEndpoints } from './endpoints.ts';
import { erasureKeepMs } from './erasures/erasure.ts';
import { deleteErasuresBefore } from './erasures/store.ts';
import { createIngest } from './events/create-ingest.ts';
import type { IngestTallies } from './events/tally.ts';
import type { EventWriter } from './events/writer.ts';
import { requestReattribution } from './flows/roll-up/queue-store.ts';
import type { Incidents } from './impact/incidents.ts';
import { meter } from './measures/meter.ts';
import type { ReleaseHooks } from './releases/hooks.ts';
import { addSegmentRoutes } from './segment/routes.ts';
import { analyticsTimers } from './timers.ts';

type AnalyticsApi = ApiServices & {
  eventWriter: EventWriter;
  tallies: IngestTallies;
  /** Whether events are accepted for a while also when the database is away. */
  outlivesDatabase: boolean;
  /** Who calls by a token. */
  authenticate(header: string): Promise<Caller>;
};

const releaseHooks: ReleaseHooks = { released: requestReattribution };

export const analytics = {
  serve: (services: AnalyticsApi, incidents: Incidents): Served => {
    const ingest = createIngest(services);
    const { series } = services;
    const releases = { hooks: releaseHooks, series, limiter: ingest.limiter };
    const { pools, keyring } = services;
    const hash = createSecretHash(createPepper(sqlOf(pools.front), keyring));
    const sql = sqlOf(pools.background);
    return {
      endpoints: analyticsEndpoints({ ingest, releases, incidents, sql, hash }),
      routes: [router => addSegmentRoutes(router, ingest)],
    };
  },
  meter,
  timersWith: analyticsTimers,
  retention: () => [{ name: 'event_erasures', keepMs: erasureKeepMs, run: deleteErasuresBefore }],
} satisfies Wing & Record<string, unknown>;
