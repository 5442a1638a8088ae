import { minuteMs, secondMs } from '#shared/duration.ts';
import type { SeriesStore } from '../platform/db/series/series.ts';
import { sqlOf } from '../platform/db/sql.ts';
import { transactionByItem } from '../platform/failures/by-item.ts';
import type { Services, WorkerServices } from '../platform/services.ts';
import { drain, type Timer } from '../platform/timers/timers.ts';
import { heartbeats } from './agents/heartbeat.ts';
import type { ReadBudgets } from './agents/read-budgets.ts';
import type { Sessions } from './agents/sessions.ts';
import { markGone } from './agents/store.ts';
import { escalateAlerts } from './alerts/escalate.ts';
import { requestCheck } from './assignments/confirm.ts';
import type { Distributor } from './assignments/distribute.ts';
import type { CheckHooks } from './checks/hooks.ts';
import { advanceTotals } from './checks/roll-up/total-store.ts';
import { TemplateDictionary } from './checks/storage/template-dictionary.ts';
import { deliverLookups } from './domains/deliver.ts';
import {
  isAnyUnescalated,
  isAnyUnresolved,
  isDeadlineDue,
  isLookupKnown,
  isOccurrenceDue,
  isReplayWanted,
  isSweepDue,
} from './due-store.ts';
import { countLate, type EvaluationServices, evaluateDue } from './evaluations/evaluate.ts';
import { advanceOccurrence, expandNext } from './maintenances/advance.ts';
import { syncSuppressions } from './maintenances/suppress.ts';
import { sumDueChecks } from './monitors/state/due-store.ts';
import type { ConditionSource } from './notices/conditions.ts';
import { watchNotices } from './notices/watch.ts';
import { lookUpDue, roundLeaseMs } from './rdap/round.ts';
import { judgeDeadlines } from './signals/deadlines.ts';
import { type SweepServices, sweep } from './sweep.ts';
import { healHistory } from './verdicts/consistency.ts';
import type { VerdictHooks } from './verdicts/hooks.ts';
import { watchRegions } from './verdicts/region-fault.ts';
import { LateReplay } from './verdicts/replay.ts';

export type GatewayTimerServices = Services & {
  series: SeriesStore;
  checkHooks: CheckHooks;
  verdictHooks: VerdictHooks;
  sessions: Sessions;
  readBudgets: ReadBudgets;
  distributor: Distributor;
  /** After a start, or an outage of the database, no vote expires for so long: agents must have had time to report. */
  sweepHoldMs: number;
  isBehind: SweepServices['isBehind'];
  /** Until when all signals are stored that were taken. */
  signalsStoredUntil(nowMs: number): Promise<number>;
  /** How long the oldest result of our own queue has waited: a vote must not run out before it is judged. */
  waitingMs(): number;
  operatorProject: string | null;
  /** What later wings find wrong, for notices. */
  conditions: readonly ConditionSource[];
};

const maintenanceHooks = { checkWanted: requestCheck };
const agentGraceMs = 10_000;
const agentDeadMs = 45_000;
/** No agent is marked gone for so long after the database was away, or we were: no heartbeat could be written. */
const livenessHoldMs = 15_000;

/** What a gateway does by time. */
export function gatewayTimers(services: GatewayTimerServices): Timer[] {
  const { pools, verdictHooks, sessions, readBudgets, distributor, metrics, clock, log, sweepHoldMs } = services;
  const pool = pools.background;
  const sql = sqlOf(pool);
  metrics.commits.expect('verdicts', 'heartbeats');
  const replay = new LateReplay(pool, verdictHooks);
  const deadlines = { pool, series: services.series, hooks: services.checkHooks, templates: new TemplateDictionary() };
  const heartbeat = heartbeats({ sql: sqlOf(pools.front), sessions, metrics, log });
  return [
    {
      name: 'sweep',
      everyMs: 250,
      due: isSweepDue,
      hold: { startMs: sweepHoldMs, gapMs: sweepHoldMs },
      run: signal => {
        const nowMs = clock.now() - services.waitingMs();
        return sweep({ pool, verdictHooks, metrics, isBehind: services.isBehind }, nowMs, signal);
      },
    },
    {
      name: 'deadlines',
      everyMs: 1000,
      due: isDeadlineDue,
      leaseMs: 15_000,
      run: async signal => {
        await drain(signal, async () => {
          const nowMs = clock.now() - services.waitingMs();
          return judgeDeadlines(deadlines, nowMs, await services.signalsStoredUntil(nowMs));
        });
      },
    },
    {
      name: 'lookups',
      everyMs: 1000,
      due: isLookupKnown,
      leaseMs: 15_000,
      run: async signal => {
        if (await services.isBehind()) return;
        await drain(signal, () => deliverLookups(deadlines, clock.now()));
      },
    },
    {
      name: 'replay',
      everyMs: 1000,
      due: isReplayWanted,
      run: signal => drain(signal, () => replay.run(() => clock.now())),
    },
    {
      name: 'configuration',
      everyMs: 1000,
      run: async () => {
        await distributor.refresh();
        distributor.measure(metrics);
      },
    },
    { name: 'intake', everyMs: 10_000, run: () => readBudgets.refresh() },
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
      due: isOccurrenceDue,
      run: signal => drain(signal, async () => Number(await advanceOccurrence(pool, maintenanceHooks, clock.now()))),
    },
    {
      name: 'maintenance-plans',
      everyMs: 10_000,
      run: signal => drain(signal, async () => Number(await expandNext(pool, clock.now()))),
    },
    {
      name: 'holds',
      everyMs: 500,
      due: isAnyUnresolved,
      run: signal => drain(signal, () => syncSuppressions(pool, clock.now())),
    },
    {
      name: 'notices',
      // It reads every enabled monitor, and says what has lasted for minutes.
      everyMs: 15_000,
      leaseMs: 45_000,
      // Agents and votes must have had time to come back.
      hold: { startMs: sweepHoldMs + minuteMs, gapMs: sweepHoldMs + minuteMs },
      run: () =>
        watchNotices(pool, { operatorProject: services.operatorProject, sources: services.conditions }, clock.now()),
    },
    { name: 'escalation', everyMs: 1000, due: isAnyUnescalated, run: () => escalateAlerts(pool, clock.now()) },
  ];
}

/** What a worker needs to judge stored events. */
export type EvaluationTimerServices = Omit<EvaluationServices, 'pool' | 'templates'> &
  Pick<Services, 'pools' | 'metrics'>;

/** Far below the shortest interval: when a worker is killed, another judges the next instant in time. */
const evaluationLeaseMs = 20 * secondMs;

/** What a worker does by time for monitors of events. */
export function evaluationTimers({ pools, metrics, ...services }: EvaluationTimerServices): Timer[] {
  const evaluating = { ...services, pool: pools.background, templates: new TemplateDictionary() };
  return [
    {
      name: 'evaluations',
      everyMs: 2000,
      leaseMs: evaluationLeaseMs,
      renewsLease: true,
      run: signal => evaluateDue(evaluating, signal),
    },
    {
      name: 'evaluations-late',
      everyMs: 10_000,
      run: async () => metrics.eventMonitorsLate.set(await countLate(evaluating)),
    },
  ];
}

/** What a worker does by time for monitors. */
export function monitoringTimers({ pools, clock, metrics, log, registries }: WorkerServices): Timer[] {
  const pool = pools.background;
  const failed = (reason: string) => log.warn({ reason }, 'the list of registries could not be read');
  const { reader, bootstrapUrl } = registries;
  const asking = { sql: sqlOf(pool), reader, clock, bootstrapUrl, failed };
  return [
    { name: 'due', everyMs: minuteMs, run: async () => metrics.checksDue.set(await sumDueChecks(sqlOf(pool))) },
    // One replica at a time: a name is asked about once.
    { name: 'registries', everyMs: 2000, leaseMs: roundLeaseMs, run: signal => lookUpDue(asking, signal) },
    {
      name: 'check-totals',
      everyMs: 10 * minuteMs,
      leaseMs: 30 * minuteMs,
      run: signal => drain(signal, () => transactionByItem(pool, sql => advanceTotals(sql, clock.now()))),
    },
  ];
}
