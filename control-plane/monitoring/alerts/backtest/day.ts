import { dayMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { MonitorPatch } from '../../monitors/monitor.ts';
import type { StoredMonitor } from '../../monitors/row.ts';
import { type BacktestAnswer, changesAlerts, leftOut } from './backtest.ts';
import { OverBound, runBacktest } from './run.ts';

/** Somebody waits for the answer of a dry run. */
const bound = { results: 100_000, ms: 3000 };

/**
 * The last 24 hours with the changes that can be replayed. Null without any, while two back-tests of the project run,
 * and if it takes too long.
 */
export async function backtestDay(
  sql: Sql,
  monitor: StoredMonitor,
  changes: MonitorPatch,
  nowMs: number,
): Promise<BacktestAnswer | null> {
  if (!changesAlerts(monitor.settings, changes)) return null;
  try {
    const request = { changes, from: nowMs - dayMs, to: nowMs, partial: true };
    const answer = await runBacktest(sql, monitor, request, nowMs, bound);
    const left = leftOut(answer.not_replayable);
    const replayed = Object.fromEntries(Object.entries(changes).filter(([name]) => !left.has(name)));
    return changesAlerts(monitor.settings, replayed) ? answer : null;
  } catch (error) {
    if (error instanceof OverBound) return null;
    throw error;
  }
}
