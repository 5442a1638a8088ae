import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import type { AgentStages } from './agents/stages.ts';
import { notifyConfig } from './agents/store.ts';
import { moveAlerts } from './alerts/move.ts';
import { openAlert } from './alerts/open.ts';
import { resolveAlert } from './alerts/resolve.ts';
import { addFailingRegions } from './alerts/store.ts';
import { packConfirmations } from './assignments/check-now.ts';
import type { Distributor } from './assignments/distribute.ts';
import { notifyCheckNow } from './assignments/store.ts';
import { parseResult } from './checks/accept.ts';
import type { Recorder } from './checks/recorder.ts';
import type { CheckStages } from './checks/stages.ts';
import { sqlOf } from './db/sql.ts';
import type { Follow } from './facts/follow.ts';
import { appendFact } from './facts/store.ts';
import { attributeAgain } from './flows/released.ts';
import { waitForRollUp } from './flows/work-store.ts';
import type { Metrics } from './http/metrics.ts';
import type { MonitorStages } from './monitors/stages.ts';
import { followForNotifications, queueConfirmation } from './notifications/fan-out.ts';
import { cancelOfRecipient } from './notifications/store.ts';
import type { ReleaseStages } from './releases/stages.ts';
import { followForPages } from './status-pages/follow.ts';
import type { SubscriberStages } from './subscribers/stages.ts';
import { configureVerdict } from './verdicts/configure.ts';
import { judgeResults } from './verdicts/judge.ts';
import type { VerdictStages } from './verdicts/stages.ts';

/** The one place that says what follows what. Everything that takes `sql` runs in the transaction of the change itself. */
export type Stages = {
  monitors: MonitorStages;
  agents: AgentStages;
  checks: CheckStages;
  verdicts: VerdictStages;
  subscribers: SubscriberStages;
  releases: ReleaseStages;
  follow: Follow;
};

export type StageServices = {
  pool: pg.Pool;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  baseUrl: string;
  recorder: () => Recorder;
  distributor: () => Distributor;
};

export function createStages(services: StageServices): Stages {
  const { metrics, log } = services;

  const verdicts: VerdictStages = {
    flipped: async (sql, before, state, change, nowMs) => {
      metrics.flips.inc({ to: change.verdict });
      const payload = { to: change.verdict, since: new Date(change.since).toISOString() };
      await appendFact(
        sql,
        { kind: 'monitor.flipped', projectId: state.projectId, subject: state.monitorId, payload },
        nowMs,
      );
      switch (change.verdict) {
        case 'down':
          if (await openAlert(sql, state, change, nowMs)) metrics.alerts.inc({ event: 'opened' });
          return;
        case 'up':
        case 'degraded':
        case 'deleted':
          if (await resolveAlert(sql, before, change.since, nowMs)) metrics.alerts.inc({ event: 'resolved' });
          return;
        case 'undetermined':
        case 'pending':
        case 'paused':
          return;
        default:
          return change.verdict satisfies never;
      }
    },
    failingRegionsChanged: (sql, state, regions) => addFailingRegions(sql, state.monitorId, regions),
    historyMoved: moveAlerts,
  };

  const checks: CheckStages = {
    recorded: (sql, states, fresh, nowMs) => judgeResults(sql, verdicts, states, fresh, nowMs),
    confirm: async confirmations => {
      if (confirmations.length === 0) return;
      await notifyCheckNow(sqlOf(services.pool), packConfirmations(confirmations)).catch(error =>
        log.warn({ err: error }, 'other regions could not be asked: they will see it at their slots'),
      );
    },
  };

  return {
    verdicts,
    checks,
    monitors: {
      configured: async (sql, change) => {
        await configureVerdict(sql, verdicts, change);
        await notifyConfig(sql);
      },
    },
    subscribers: {
      confirmationWanted: queueConfirmation,
      left: (sql, id, nowMs) => cancelOfRecipient(sql, id, 'the subscriber left', nowMs),
    },
    releases: {
      releasing: waitForRollUp,
      released: (sql, projectId, fromMs, toMs) => attributeAgain(sql, projectId, fromMs, toMs, services.clock.now()),
    },
    agents: {
      connected: session => services.distributor().connected(session),
      disconnected: session => services.distributor().disconnected(session),
      applied: (session, revision, digest) => services.distributor().applied(session, revision, digest),
      reported: async (session, results) => {
        const parsed = results.map(parseResult);
        const reported = parsed.flatMap(result =>
          result === null ? [] : [{ result, agentId: session.agent.id, region: session.agent.region }],
        );
        const refusals = reported.length === 0 ? [] : await services.recorder().record(reported);
        let place = 0;
        return parsed.map(result => (result === null ? 'malformed' : (refusals[place++] ?? null)));
      },
      room: () => (services.recorder().full() ? services.recorder().drained() : null),
    },
    follow: async (sql, fact) => {
      await followForPages(sql, fact, services.clock.now());
      await followForNotifications(sql, fact, services.baseUrl, services.clock.now());
      switch (fact.kind) {
        case 'region.quarantined':
          log.error(
            { region: fact.subject, ...fact.payload },
            'region quarantined: its checks fail alone, its votes do not count until they agree again',
          );
          return;
        case 'region.returned':
          log.warn({ region: fact.subject }, 'region returned from quarantine');
          return;
        case 'monitor.flipped':
        case 'alert.acknowledged':
        case 'incident.opened':
        case 'incident.updated':
        case 'incident.changed':
        case 'incident.resolved':
        case 'incident.deleted':
        case 'component.changed':
        case 'alert.opened':
        case 'alert.resolved':
        case 'alert.escalated':
          log.info({ fact: fact.kind, subject: fact.subject, project: fact.projectId, ...fact.payload }, fact.kind);
          return;
        default:
          return fact satisfies never;
      }
    },
  };
}
