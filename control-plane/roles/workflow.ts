import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { requestReattribution } from '../analytics/flows/roll-up/queue-store.ts';
import type { ReleaseHooks } from '../analytics/releases/hooks.ts';
import { cancelOfRecipient } from '../delivery/notifications/cancel-store.ts';
import { fanOutFact, queueConfirmation } from '../delivery/notifications/fan-out.ts';
import { type MonitoringHooks, monitoringHooks } from '../monitoring/hooks.ts';
import { routeAlert } from '../on-call/routing/route-alert.ts';
import { routeNotice } from '../on-call/routing/route-notice.ts';
import type { FactHandler } from '../platform/facts/dispatch.ts';
import { logFact } from '../platform/facts/log-fact.ts';
import type { Metrics } from '../platform/http/metrics.ts';
import { requestPublications } from '../publishing/status-pages/publish/request-publication.ts';
import type { SubscriberHooks } from '../publishing/subscribers/hooks.ts';

// The one place that says what follows what.

/** What later wings do in the transaction of a change: both commit, or neither. */
export type TransactionHooks = MonitoringHooks & { subscribers: SubscriberHooks; releases: ReleaseHooks };

export function transactionHooks(metrics: Metrics): TransactionHooks {
  return {
    ...monitoringHooks(metrics),
    subscribers: {
      confirmationWanted: queueConfirmation,
      left: (sql, id, nowMs) => cancelOfRecipient(sql, id, 'the subscriber unsubscribed', nowMs),
    },
    releases: { released: requestReattribution },
  };
}

/** What happens after a fact is committed: pages are published again, people are notified, operators read the log. */
export function onFact({ clock, log, baseUrl }: { clock: Clock; log: Logger; baseUrl: string }): FactHandler {
  return async (sql, fact) => {
    await requestPublications(sql, fact, clock.now());
    await fanOutFact(sql, fact, baseUrl, clock.now());
    await routeAlert(sql, fact, clock.now());
    await routeNotice(sql, fact, clock.now());
    logFact(log, fact);
  };
}
