import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { requestReattribution } from '../analytics/flows/roll-up/queue-store.ts';
import type { ReleaseHooks } from '../analytics/releases/hooks.ts';
import { cancelOfRecipient } from '../delivery/notifications/cancel-store.ts';
import { fanOutFact, queueConfirmation } from '../delivery/notifications/fan-out.ts';
import { notifyConfig } from '../monitoring/agents/store.ts';
import {
  followCertificates,
  followConfiguration,
  followNewCertificateRules,
} from '../monitoring/alerts/certificates/follow.ts';
import {
  type AlertCounts,
  evaluateFlip,
  evaluateMovedRows,
  evaluateNewRules,
  noAlerts,
} from '../monitoring/alerts/evaluate.ts';
import { retimeAlerts } from '../monitoring/alerts/retime.ts';
import { addFailingRegions } from '../monitoring/alerts/store.ts';
import { requestCheck } from '../monitoring/assignments/confirm.ts';
import type { CheckHooks } from '../monitoring/checks/hooks.ts';
import type { MonitorHooks } from '../monitoring/monitors/hooks.ts';
import type { MonitorState } from '../monitoring/monitors/state/state.ts';
import { configureVerdict } from '../monitoring/verdicts/configure.ts';
import type { VerdictHooks } from '../monitoring/verdicts/hooks.ts';
import { judgeResults } from '../monitoring/verdicts/judge.ts';
import { routeAlert } from '../on-call/routing/route-alert.ts';
import { routeNotice } from '../on-call/routing/route-notice.ts';
import { afterCommit } from '../platform/db/transaction.ts';
import type { FactHandler } from '../platform/facts/dispatch.ts';
import { appendFact } from '../platform/facts/store.ts';
import { attempt } from '../platform/failures/by-item.ts';
import type { Metrics } from '../platform/http/metrics.ts';
import { requestPublications } from '../publishing/status-pages/publish/request-publication.ts';
import type { SubscriberHooks } from '../publishing/subscribers/hooks.ts';

// The one place that says what follows what.

/** What later folders do in the transaction of a change: both commit, or neither. */
export type TransactionHooks = {
  monitors: MonitorHooks;
  checks: CheckHooks;
  verdicts: VerdictHooks;
  subscribers: SubscriberHooks;
  releases: ReleaseHooks;
};

export function transactionHooks(metrics: Metrics): TransactionHooks {
  const verdicts = verdictHooks(metrics);
  return {
    monitors: {
      configured: async (sql, change) => {
        await configureVerdict(sql, verdicts, change);
        const { state, rules, atMs } = change;
        if (state !== null) {
          const { dropsVotes } = change.change;
          const item = { work: 'certificates', id: state.monitorId, projectId: state.projectId, nowMs: atMs } as const;
          const follow = () => followConfiguration(sql, state, { dropsVotes, isDeleted: rules.deleted }, atMs);
          const counts = await attempt(sql, item, follow, () => noAlerts);
          afterCommit(sql, () => countAlerts(metrics, counts));
        }
        await notifyConfig(sql);
      },
      checkWanted: requestCheck,
      rulesChanged: async (sql, { state, atMs, ...rules }) => {
        const item = { id: state.monitorId, projectId: state.projectId, nowMs: atMs };
        const alerts = () => evaluateNewRules(sql, state, rules, atMs);
        const counts = await attempt(sql, { ...item, work: 'alerts' }, alerts, () => noAlerts);
        const follow = () => followNewCertificateRules(sql, state, rules, atMs);
        const certificates = await attempt(sql, { ...item, work: 'certificates' }, follow, () => noAlerts);
        afterCommit(sql, () => countAlerts(metrics, counts));
        afterCommit(sql, () => countAlerts(metrics, certificates));
      },
    },
    checks: {
      recorded: async (sql, states, fresh, nowMs) => {
        const { written, ...judged } = await judgeResults(sql, verdicts, states, fresh, nowMs);
        const { changed, counts } = await followCertificates(sql, states, fresh, nowMs);
        afterCommit(sql, () => countAlerts(metrics, counts));
        if (changed.size === 0) return { written, ...judged };
        const withChanges = (state: MonitorState): MonitorState => {
          const certificates = changed.get(state.monitorId);
          return certificates === undefined ? state : { ...state, certificates };
        };
        return { written: written.map(withChanges), ...judged };
      },
    },
    verdicts,
    subscribers: {
      confirmationWanted: queueConfirmation,
      left: (sql, id, nowMs) => cancelOfRecipient(sql, id, 'the subscriber unsubscribed', nowMs),
    },
    releases: { released: requestReattribution },
  };
}

function verdictHooks(metrics: Metrics): VerdictHooks {
  return {
    flipped: async (sql, state, change, nowMs) => {
      afterCommit(sql, () => metrics.flips.inc({ to: change.verdict }));
      const payload = { to: change.verdict, since: new Date(change.since).toISOString() };
      const { projectId, monitorId } = state;
      await appendFact(sql, { kind: 'monitor.flipped', projectId, subject: monitorId, payload }, nowMs);
    },
    alerted: async (sql, before, state, change, nowMs) => {
      const counts = await evaluateFlip(sql, before, state, change, nowMs);
      afterCommit(sql, () => countAlerts(metrics, counts));
    },
    failingRegionsChanged: (sql, state, regions) => addFailingRegions(sql, state.monitorId, regions),
    historyMoved: async (sql, monitorId, before, rows) => {
      await retimeAlerts(sql, monitorId, before, rows);
      await evaluateMovedRows(sql, monitorId, rows);
    },
  };
}

export function countAlerts(metrics: Metrics, { opened, resolved }: AlertCounts): void {
  metrics.alerts.inc({ event: 'opened' }, opened);
  metrics.alerts.inc({ event: 'resolved' }, resolved);
}

/** What happens after a fact is committed: pages are published again, people are notified, operators read the log. */
export function onFact({ clock, log, baseUrl }: { clock: Clock; log: Logger; baseUrl: string }): FactHandler {
  return async (sql, fact) => {
    await requestPublications(sql, fact, clock.now());
    await fanOutFact(sql, fact, baseUrl, clock.now());
    await routeAlert(sql, fact, clock.now());
    await routeNotice(sql, fact, clock.now());
    switch (fact.kind) {
      case 'region.quarantined':
        return log.error(
          { region: fact.subject, project: fact.projectId ?? 'all', ...fact.payload },
          'region quarantined: only its checks fail, so its votes do not count until they agree with the other regions',
        );
      case 'region.returned':
        return log.warn({ region: fact.subject, project: fact.projectId ?? 'all' }, 'region returned from quarantine');
      case 'monitor.flipped':
      case 'alert.opened':
      case 'alert.held':
      case 'alert.updated':
      case 'alert.acknowledged':
      case 'alert.escalated':
      case 'alert.resolved':
      case 'incident.opened':
      case 'incident.updated':
      case 'incident.changed':
      case 'incident.resolved':
      case 'incident.deleted':
      case 'maintenance.scheduled':
      case 'maintenance.changed':
      case 'maintenance.started':
      case 'maintenance.updated':
      case 'maintenance.ended':
      case 'maintenance.cancelled':
      case 'component.changed':
        return log.info(
          { fact: fact.kind, subject: fact.subject, project: fact.projectId, ...fact.payload },
          fact.kind,
        );
      case 'notice.opened':
      case 'notice.closed': {
        const seen = { fact: fact.kind, subject: fact.subject, project: fact.projectId, ...fact.payload };
        return fact.projectId === null ? log.warn(seen, fact.kind) : log.info(seen, fact.kind);
      }
      default:
        return fact satisfies never;
    }
  };
}
