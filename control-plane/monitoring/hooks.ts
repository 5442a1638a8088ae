import { afterCommit } from '../platform/db/transaction.ts';
import { appendFact } from '../platform/facts/store.ts';
import { attempt } from '../platform/failures/by-item.ts';
import type { Metrics } from '../platform/http/metrics.ts';
import { notifyConfig } from './agents/store.ts';
import { followCertificates, followConfiguration, followNewCertificateRules } from './alerts/certificates/follow.ts';
import { type AlertCounts, evaluateFlip, evaluateMovedRows, evaluateNewRules, noAlerts } from './alerts/evaluate.ts';
import { retimeAlerts } from './alerts/retime.ts';
import { addFailingRegions } from './alerts/store.ts';
import { requestCheck } from './assignments/confirm.ts';
import type { CheckHooks } from './checks/hooks.ts';
import type { MonitorHooks } from './monitors/hooks.ts';
import type { MonitorState } from './monitors/state/state.ts';
import { followSignals } from './signals/follow.ts';
import { configureVerdict } from './verdicts/configure.ts';
import type { VerdictHooks } from './verdicts/hooks.ts';
import { judgeResults } from './verdicts/judge.ts';

/** What later folders of this wing do in the transaction of a change: both commit, or neither. */
export type MonitoringHooks = { monitors: MonitorHooks; checks: CheckHooks; verdicts: VerdictHooks };

export function monitoringHooks(metrics: Metrics): MonitoringHooks {
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
      reconfigured: notifyConfig,
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
      arrived: followSignals,
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

/** Counts alerts that opened and were resolved. */
export function countAlerts(metrics: Metrics, { opened, resolved }: AlertCounts): void {
  metrics.alerts.inc({ event: 'opened' }, opened);
  metrics.alerts.inc({ event: 'resolved' }, resolved);
}
