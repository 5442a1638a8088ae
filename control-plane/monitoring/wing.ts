import type { AddressPolicy } from '#shared/network/guard.ts';
import { sqlOf } from '../platform/db/sql.ts';
import { chargeRequest } from '../platform/http/limits/rate-limit.ts';
import type { ApiServices, Served, Wing } from '../platform/services.ts';
import type { ComponentPages } from './components/pages.ts';
import { monitoringEndpoints } from './endpoints.ts';
import { monitoringHooks } from './hooks.ts';
import type { AnnouncingPages } from './maintenances/pages.ts';
import type { MonitorHooks } from './monitors/hooks.ts';
import type { Meter } from './monitors/measures/meter.ts';
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

/** What status pages and stored events are asked for. */
type Asked = { announcing: AnnouncingPages; componentPages: ComponentPages; meter: Meter };

/** Of one project, apart from its tests of channels. */
const testRate = { perMinute: 10, burst: 10 };

export const monitoring = {
  serve: ({ hooks, waiters, reachable, signals, ...services }: MonitoringApi, asked: Asked): Served => ({
    endpoints: monitoringEndpoints({
      ...services,
      ...asked,
      reachable,
      hooks: hooks.monitors,
      probes: {
        keyring: services.keyring,
        waiters,
        meter: asked.meter,
        chargeTest: projectId => chargeRequest(sqlOf(services.pools.front), `monitor-test ${projectId}`, testRate),
      },
    }),
    routes: [
      router => addSignalRoutes(router, { ...services, hooks: hooks.monitors, meter: asked.meter, recorder: signals }),
    ],
  }),
  hooks: monitoringHooks,
  timers: monitoringTimers,
  retention: monitoringRetention,
} satisfies Wing & Record<string, unknown>;
