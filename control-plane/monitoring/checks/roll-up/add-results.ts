import { dayOf } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { MonitorState } from '../../monitors/state/state.ts';
import { lateBefore } from './closed-days.ts';
import { countInHours } from './current-hours.ts';
import { addFailures, type CountedFailure } from './failure-store.ts';
import { isCounted } from './hour-buckets.ts';
import { addToHours } from './hourly-store.ts';
import { forgetDays } from './tally-store.ts';
import { addToTotals } from './total-store.ts';

/**
 * Counts results that are stored now and were not before in all that is rolled up; the states of their monitors are
 * locked in this transaction. Returns the states with their current hours, which the caller writes with the votes.
 *
 * 1. An hour is added up with each result: the newest of a monitor in its state, earlier ones in `checks_hourly`.
 * 2. A day is summed from its hours when it is read (`sumDays`), once it is closed.
 * 3. A total is summed from the hours of closed days, day by day (`advanceTotals`).
 *
 * A late result is one of a day that may be closed: it is added to the total, and its day is summed up again.
 */
export async function addResults(
  sql: Sql,
  states: readonly MonitorState[],
  results: readonly CountedFailure[],
  nowMs: number,
): Promise<MonitorState[]> {
  const counted = results.filter(isCounted);
  const hours = countInHours(states, counted);
  await addToHours(sql, hours.buckets);
  await addFailures(sql, counted);
  const lateMs = lateBefore(nowMs);
  const late = counted.filter(result => result.scheduled_at < lateMs);
  await addToTotals(sql, late);
  await forgetDays(
    sql,
    late.map(result => ({ monitorId: result.monitor_id, day: dayOf(result.scheduled_at) })),
  );
  return hours.states;
}
