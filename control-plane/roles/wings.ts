import { access } from '../access/wing.ts';
import { analytics } from '../analytics/wing.ts';
import { configuration } from '../configuration/wing.ts';
import { delivery } from '../delivery/wing.ts';
import { monitoring } from '../monitoring/wing.ts';
import { onCall } from '../on-call/wing.ts';
import { quotaCounts } from '../operations/admin/quota-counts.ts';
import { housekeepingTimers } from '../operations/housekeeping.ts';
import { operations } from '../operations/wing.ts';
import type { FactHandler } from '../platform/facts/dispatch.ts';
import { factsTimer } from '../platform/facts/facts-timer.ts';
import type { Metrics } from '../platform/http/metrics.ts';
import type { RetentionServices, Wing, WorkerServices } from '../platform/services.ts';
import type { Retention } from '../platform/timers/retention.ts';
import type { Timer } from '../platform/timers/timers.ts';
import { platform } from '../platform/wing.ts';
import { publishing } from '../publishing/wing.ts';
import { web } from '../web/wing.ts';

// The one place that says what follows what.

const wings: readonly Wing[] = [
  platform,
  access,
  monitoring,
  publishing,
  delivery,
  onCall,
  { ...analytics, timers: services => analytics.timersWith(services, delivery.erasureHooks) },
  configuration,
  operations,
];

/** What later wings do in the transaction of a change: both commit, or neither. */
export function transactionHooks(metrics: Metrics) {
  return { ...monitoring.hooks(metrics), ...delivery.hooks };
}

/** What happens after a fact is committed: pages are published again, people are notified, operators read the log. */
function onFact(services: WorkerServices): FactHandler {
  return async (sql, fact) => {
    for (const wing of wings) await wing.onFact?.(sql, fact, services);
  };
}

/** Everything that is deleted by age. */
export function retentions(services: RetentionServices): readonly Retention[] {
  return wings.flatMap(wing => wing.retention?.(services) ?? []);
}

/**
 * What a worker does by time; a gateway's timers are those of monitoring. Timers with a lease run on one process, the
 * others on each.
 */
export function workerTimers(services: WorkerServices): readonly Timer[] {
  services.metrics.commits.expect('facts', 'alert_groups', 'pages', 'funnels');
  return [
    factsTimer(services, onFact(services)),
    ...wings.flatMap(wing => wing.timers?.(services) ?? []),
    ...housekeepingTimers(services, retentions(services)),
  ];
}

export type ServedServices = Parameters<typeof monitoring.serve>[0] &
  Parameters<typeof publishing.serve>[0] &
  Parameters<typeof onCall.serve>[0] &
  Omit<Parameters<typeof analytics.serve>[0], 'authenticate'> &
  Parameters<typeof access.serve>[0] &
  Parameters<typeof web.serve>[0];

/** Everything that is served over HTTP: the API, the dashboard, the public pages and the browser client. */
export function serveWings(services: ServedServices) {
  const { keyring, hooks } = services;
  const entrance = access.serve(services, {
    membersChanged: publishing.createMembersChanged(() => keyring, hooks.subscribers),
    emailPeople: delivery.emailPeople,
    mailInvitation: delivery.mailInvitation,
    mailSignIn: delivery.mailSignIn,
  });
  const served = [
    platform.serve(quotaCounts),
    entrance,
    monitoring.serve(services, {
      announcing: publishing.pages,
      componentPages: publishing.pages,
      meter: analytics.meter,
    }),
    publishing.serve(services, entrance.authenticate),
    delivery.serve({ ...services, channels: onCall.channels }),
    onCall.serve(services),
    analytics.serve({ ...services, authenticate: entrance.bearer }, publishing.incidents),
    web.serve(services, entrance.authenticate),
  ];
  const { endpoints, routes } = configuration.serve(
    services,
    served.flatMap(({ endpoints: own }) => own),
  );
  return {
    endpoints,
    routes: [...served.flatMap(({ routes: own = [] }) => own), ...routes],
    authenticate: entrance.authenticate,
  };
}
