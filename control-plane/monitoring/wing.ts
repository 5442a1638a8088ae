import type { AddressPolicy } from '#shared/network/guard.ts';
import { sqlOf } from '../platform/db/sql.ts';
import { chargeRequest } from '../platform/http/limits/rate-limit.ts';
import type { ApiServices, Served, Wing } from '../platform/services.ts';
import type { ComponentPages } from './components/pages.ts';
import { monitoringEndpoints } from './endpoints.ts';
import { monitoringHooks } from './hooks.ts';
import type { AnnouncingPages } from './maintenances/pages.ts';
import type { MonitorHooks } from './monitors/hooks.ts';
import type { Waiters } from './probes/waiters.ts';
import { monitoringRetention } from './retention.ts';
import { addSignalRoutes, type SignalServices } from './signals/routes.ts';
import { monitoringTimers } from './timers.ts';

type MonitoringApi = ApiServices & {
  hooks: { monitors: MonitorHooks };
  waiters: Waiters;
  /** The policy by which an address is warned about. */
  reachable: AddressPolicy;
  /** Whether registries are asked about domains. */
  asksRegistries: boolean;
  /** What signals of heartbeats are handed to, and whether it takes them while the database is away. */
  signals: SignalServices['recorder'];
  outlivesDatabase: boolean;
};

/** What status pages are asked for. */
type AskedPages = { announcing: AnnouncingPages; componentPages: ComponentPages };

/** Of one project, apart from its tests of channels. */
const testRate = { perMinute: 10, burst: 10 };

export const monitoring = {
  serve: ({ hooks, waiters, reachable, signals, ...services }: MonitoringApi, pages: AskedPages): Served => ({
    endpoints: monitoringEndpoints({
      ...services,
      ...pages,
      reachable,
      hooks: hooks.monitors,
      probes: {
        keyring: services.keyring,
        waiters,
        chargeTest: projectId => chargeRequest(sqlOf(services.pools.front), `monitor-test ${projectId}`, testRate),
      },
    }),
    routes: [router => addSignalRoutes(router, { ...services, hooks: hooks.monitors, recorder: signals })],
  }),
  hooks: monitoringHooks,
  timers: monitoringTimers,
  retention: monitoringRetention,
} satisfies Wing & Record<string, unknown>;
