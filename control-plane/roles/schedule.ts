import type { Clock } from '#shared/clock.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { rollUp, rollUpLagSeconds } from '../analytics/flows/roll-up/roll-up.ts';
import { forgiveBurst } from '../delivery/notifications/email/relay-watch.ts';
import { heartbeats } from '../monitoring/agents/heartbeat.ts';
import type { Intakes } from '../monitoring/agents/intakes.ts';
import type { Sessions } from '../monitoring/agents/sessions.ts';
import { markGone } from '../monitoring/agents/store.ts';
import { escalateAlerts } from '../monitoring/alerts/escalate.ts';
import { requestCheck } from '../monitoring/assignments/confirm.ts';
import type { Distributor } from '../monitoring/assignments/distribute.ts';
import { advanceOccurrence, expandNext } from '../monitoring/maintenances/advance.ts';
import { syncHolds } from '../monitoring/maintenances/hold.ts';
import { sumDueChecks } from '../monitoring/monitors/state/due-store.ts';
import { watchNotices } from '../monitoring/notices/watch.ts';
import { healHistory } from '../monitoring/verdicts/consistency.ts';
import type { VerdictHooks } from '../monitoring/verdicts/hooks.ts';
import { watchRegions } from '../monitoring/verdicts/region-fault.ts';
import { LateReplay } from '../monitoring/verdicts/replay.ts';
import { sendDueDigest } from '../on-call/routing/digest.ts';
import { runDueGroup } from '../on-call/routing/run.ts';
import type { Pools } from '../platform/db/pool.ts';
import type { Edition } from '../platform/db/series/edition.ts';
import type { SeriesStore } from '../platform/db/series/series.ts';
import { sqlOf } from '../platform/db/sql.ts';
import { dispatchFacts, type FactHandler } from '../platform/facts/dispatch.ts';
import type { Writer } from '../platform/http/commit-times.ts';
import type { Metrics } from '../platform/http/metrics.ts';
import { drain, type Timer } from '../platform/timers/timers.ts';
import type { Publisher } from '../publishing/status-pages/publish/publisher.ts';
import type { PublishedPages } from '../publishing/status-pages/serve/published-pages.ts';
import { watchImports } from '../publishing/subscribers/watch-imports.ts';
import { watchBacklog, watchSending } from './backlog.ts';
import {
  cleanUp,
  compressClosed,
  deleteByPlanRetention,
  dropExpired,
  forecastStorage,
  sumClosedDays,
} from './housekeeping.ts';
import { type SweepServices, sweep } from './sweep.ts';

// Everything the control plane does by time, by role. Timers with a lease run on one process, the others on each.

type TimerServices = { pools: Pools; clock: Clock; log: Logger };

export type GatewayTimerServices = TimerServices & {
  verdictHooks: VerdictHooks;
  sessions: Sessions;
  intakes: Intakes;
  distributor: Distributor;
  metrics: Metrics;
  /** After a start, or an outage of the database, no vote expires for so long: agents must have had time to report. */
  sweepHoldMs: number;
  isBehind: SweepServices['isBehind'];
  /** How long the oldest result of our own queue has waited: a vote must not run out before it is judged. */
  waitingMs(): number;
  operatorProject: string | null;
};

export type WorkerTimerServices = TimerServices & {
  series: SeriesStore;
  edition: Edition;
  metrics: Metrics;
  onFact: FactHandler;
  publisher: Publisher;
  auditDays: number;
};

const maintenanceHooks = { checkWanted: requestCheck };
const agentGraceMs = 10_000;
const agentDeadMs = 45_000;
/** No agent is marked gone for so long after the database was away, or we were: no heartbeat could be written. */
const livenessHoldMs = 15_000;
/** Far below the 60 seconds within which events must be in reports. */
const rollUpMs = 3000;

export function gatewayTimers(services: GatewayTimerServices): Timer[] {
  const { pools, verdictHooks, sessions, intakes, distributor, metrics, clock, log, sweepHoldMs } = services;
  const pool = pools.background;
  const sql = sqlOf(pool);
  metrics.commits.expect('verdicts', 'heartbeats');
  const replay = new LateReplay(pool, verdictHooks);
  const heartbeat = heartbeats({ sql: sqlOf(pools.front), sessions, metrics, log });
  return [
    {
      name: 'sweep',
      everyMs: 250,
      hold: { startMs: sweepHoldMs, gapMs: sweepHoldMs },
      run: signal => {
        const nowMs = clock.now() - services.waitingMs();
        return sweep({ pool, verdictHooks, metrics, isBehind: services.isBehind }, nowMs, signal);
      },
    },
    { name: 'replay', everyMs: 1000, run: signal => drain(signal, () => replay.run(() => clock.now())) },
    {
      name: 'configuration',
      everyMs: 1000,
      run: async () => {
        await distributor.refresh();
        distributor.measure(metrics);
      },
    },
    { name: 'intake', everyMs: 10_000, run: () => intakes.refresh() },
    { name: 'heartbeat', everyMs: 5000, run: () => heartbeat(clock.now()) },
    {
      name: 'liveness',
      everyMs: 2000,
      leaseMs: 10_000,
      hold: { startMs: 0, gapMs: livenessHoldMs },
      run: () => markGone(sql, clock.now(), agentGraceMs, agentDeadMs),
    },
    { name: 'regions', everyMs: 5000, leaseMs: 20_000, run: () => watchRegions(pool, verdictHooks, clock.now()) },
    {
      name: 'consistency',
      everyMs: 10 * minuteMs,
      leaseMs: 20 * minuteMs,
      hold: { startMs: minuteMs, gapMs: 0 },
      run: () => healHistory(pool, verdictHooks, clock.now(), log),
    },
    {
      name: 'maintenance',
      everyMs: 250,
      run: signal => drain(signal, async () => Number(await advanceOccurrence(pool, maintenanceHooks, clock.now()))),
    },
    {
      name: 'maintenance-plans',
      everyMs: 10_000,
      run: signal => drain(signal, async () => Number(await expandNext(pool, clock.now()))),
    },
    { name: 'holds', everyMs: 500, run: signal => drain(signal, () => syncHolds(pool, clock.now())) },
    {
      name: 'notices',
      // It reads every enabled monitor, and says what has lasted for minutes.
      everyMs: 15_000,
      leaseMs: 45_000,
      // Agents and votes must have had time to come back.
      hold: { startMs: sweepHoldMs + minuteMs, gapMs: sweepHoldMs + minuteMs },
      run: () => watchNotices(pool, services.operatorProject, clock.now()),
    },
    { name: 'escalation', everyMs: 1000, run: () => escalateAlerts(pool, clock.now()) },
  ];
}

export function frontTimers(pages: PublishedPages, storeTallies: () => Promise<void>): Timer[] {
  return [
    { name: 'pages', everyMs: 5000, run: () => pages.sync() },
    { name: 'ingest-tallies', everyMs: 2000, run: storeTallies },
  ];
}

export function workerTimers(services: WorkerTimerServices): Timer[] {
  const { pools, onFact, publisher, edition, clock, log, metrics } = services;
  const { commits } = metrics;
  commits.expect('facts', 'alert_groups', 'pages', 'funnels');
  const pool = pools.background;
  const keep = (writer: Writer, work: () => Promise<number>) => (signal: AbortSignal) =>
    drain(signal, work, () => commits.mark(writer));
  return [
    {
      name: 'facts',
      everyMs: 250,
      run: signal => {
        const options = { signal, committed: () => commits.mark('facts') };
        return keep('facts', () => dispatchFacts(pool, onFact, clock, options))(signal);
      },
    },
    {
      name: 'alert-groups',
      everyMs: 250,
      run: async signal => {
        await drain(signal, () => runDueGroup(pool, clock.now()));
        await drain(signal, () => sendDueDigest(pool, clock.now()));
        commits.mark('alert_groups');
      },
    },
    {
      name: 'publishing',
      everyMs: 250,
      run: keep('pages', async () => Number(await publisher.publishDue(clock.now()))),
    },
    {
      name: 'roll-up',
      everyMs: rollUpMs,
      run: keep('funnels', async () => Number(await rollUp(pool, { nowMs: clock.now(), isSlow: false }))),
    },
    {
      name: 'roll-up-slow',
      everyMs: rollUpMs,
      run: signal => drain(signal, async () => Number(await rollUp(pool, { nowMs: clock.now(), isSlow: true }))),
    },
    {
      name: 'roll-up-lag',
      everyMs: 10_000,
      run: async () => metrics.rollUpLag.set(await rollUpLagSeconds(sqlOf(pool), clock.now())),
    },
    { name: 'backlog', everyMs: 10_000, run: () => watchBacklog(services) },
    { name: 'due', everyMs: minuteMs, run: async () => metrics.checksDue.set(await sumDueChecks(sqlOf(pool))) },
    { name: 'imports', everyMs: 10_000, leaseMs: 30_000, run: () => watchImports(pool, clock.now(), log) },
    { name: 'email-relay', everyMs: 5000, leaseMs: 30_000, run: () => forgiveBurst(pool, clock.now(), log) },
    { name: 'sending', everyMs: minuteMs, run: () => watchSending(services) },
    { name: 'housekeeping', everyMs: 60_000, leaseMs: 120_000, run: () => cleanUp(services, services.auditDays) },
    {
      name: 'check-totals',
      everyMs: 10 * minuteMs,
      leaseMs: 30 * minuteMs,
      run: signal => drain(signal, () => sumClosedDays(services)),
    },
    { name: 'events-housekeeping', everyMs: 60_000, leaseMs: 600_000, run: () => dropExpired(services) },
    {
      name: 'storage-forecast',
      everyMs: 60_000,
      restMs: 10 * minuteMs,
      run: async () => {
        for (const { name, bytes, forecastBytes } of await forecastStorage(sqlOf(pool), edition, clock.now())) {
          metrics.seriesBytes.set({ series: name }, bytes);
          if (forecastBytes !== null) metrics.seriesForecast.set({ series: name }, forecastBytes);
        }
      },
    },
    {
      name: 'compression',
      everyMs: 60_000,
      restMs: 10 * minuteMs,
      leaseMs: 10 * minuteMs,
      run: signal => compressClosed(services, signal),
    },
    {
      name: 'events-of-shorter-plans',
      everyMs: 600_000,
      restMs: dayMs,
      leaseMs: dayMs / 2,
      run: () => deleteByPlanRetention(services),
    },
  ];
}
