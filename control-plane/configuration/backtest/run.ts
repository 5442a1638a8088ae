import { dayMs } from '#shared/duration.ts';
import { OverBound, runBacktest } from '../../monitoring/alerts/backtest/run.ts';
import type { MonitorPatch } from '../../monitoring/monitors/monitor.ts';
import { findMonitor } from '../../monitoring/monitors/store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { type ActionBacktest, addMonitor, type PlanBacktest, type SkipReason } from './backtest.ts';
import { listAlerts } from './store.ts';

/** A monitor that a plan changes for judging, or of which nothing is checked any more: `changes` is null. */
export type Tried = {
  action: { key: string; backtest: ActionBacktest };
  monitorId: string;
  changes: Readonly<Record<string, unknown>> | null;
};

type Services = {
  keyring: Keyring;
  projectId: string;
  nowMs: number;
  /** Runs one monitor's reading in a transaction: it takes one of the project's places for back-tests. */
  transact<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>;
};

const monitorsMax = 50;
const resultsMax = 2_000_000;
const togetherMs = 60_000;
/** A plan with more alerts says nothing that anybody reads. */
const alertsMax = 1000;

/** Judges the past of monitors again, one after the other, each by what the plan makes of it. */
export async function backtestPlan(services: Services, tried: readonly Tried[], days: number): Promise<PlanBacktest> {
  const plan: PlanBacktest = { days, monitors: 0, skipped: 0, new: [], gone: [], moved: [], uptime: [] };
  const endsAt = performance.now() + togetherMs;
  const left = { results: resultsMax, alerts: alertsMax };
  for (const [index, one] of tried.entries()) {
    const ms = endsAt - performance.now();
    const reason =
      index >= monitorsMax ? 'too_many' : ms <= 0 ? 'time' : await backtestOne(services, one, plan, left, ms);
    if (reason === null) continue;
    one.action.backtest = { skipped: reason };
    plan.skipped += 1;
  }
  return plan;
}

/** Null, or why the monitor is skipped. */
async function backtestOne(
  { keyring, projectId, nowMs, transact }: Services,
  { action, monitorId, changes }: Tried,
  plan: PlanBacktest,
  left: { results: number; alerts: number },
  ms: number,
): Promise<SkipReason | null> {
  const from = nowMs - plan.days * dayMs;
  const request = { changes: (changes ?? {}) as MonitorPatch, from, to: nowMs, partial: true };
  try {
    return await transact(async sql => {
      const found = await findMonitor(sql, keyring, projectId, monitorId);
      if (found === null) return null;
      const { monitor } = found;
      const answer = await runBacktest(sql, monitor, request, nowMs, { results: left.results, ms });
      left.results -= answer.results;
      left.alerts -= answer.before.alerts.length + (answer.after?.alerts.length ?? 0);
      if (left.alerts < 0) return 'too_large';
      const stored = await listAlerts(sql, monitorId, from, nowMs);
      const { severity } = monitor.settings.alert_policy ?? { severity: null };
      addMonitor(plan, { key: action.key, severity, isGone: changes === null }, answer, stored);
      action.backtest = answer;
      return null;
    });
  } catch (error) {
    if (error instanceof OverBound) return error.reason;
    throw error;
  }
}
