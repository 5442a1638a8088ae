import type { AddressPolicy } from '#shared/network/guard.ts';
import { sqlOf } from '../platform/db/sql.ts';
import { chargeRequest } from '../platform/http/limits/rate-limit.ts';
import type { ApiServices, Served, Wing } from '../platform/services.ts';
import { monitoringEndpoints } from './endpoints.ts';
import { monitoringHooks } from './hooks.ts';
import type { MonitorHooks } from './monitors/hooks.ts';
import type { Waiters } from './probes/waiters.ts';
import { monitoringRetention } from './retention.ts';
import { monitoringTimers } from './timers.ts';

type MonitoringApi = ApiServices & {
  hooks: { monitors: MonitorHooks };
  waiters: Waiters;
  /** The policy by which an address is warned about. */
  reachable: AddressPolicy;
};

/** Of one project, apart from its tests of channels. */
const testRate = { perMinute: 10, burst: 10 };

export const monitoring = {
  serve: ({ pools, keyring, baseUrl, hooks, waiters, reachable }: MonitoringApi): Served => ({
    endpoints: monitoringEndpoints({
      keyring,
      baseUrl,
      reachable,
      hooks: hooks.monitors,
      probes: {
        keyring,
        waiters,
        chargeTest: projectId => chargeRequest(sqlOf(pools.front), `monitor-test ${projectId}`, testRate),
      },
    }),
  }),
  hooks: monitoringHooks,
  timers: monitoringTimers,
  retention: monitoringRetention,
} satisfies Wing & Record<string, unknown>;
