import type pg from 'pg';
import { type Sql, sqlOf } from '../../platform/db/sql.ts';
import { attempt, transactionByItem } from '../../platform/failures/by-item.ts';
import type { Item, Work } from '../../platform/failures/failure.ts';
import { clearFailure, listToRetry } from '../../platform/failures/store.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import { lockStates } from '../monitors/state/state-store.ts';
import { readQuarantines } from '../verdicts/region-fault-store.ts';
import { followCertificateTime } from './certificates/follow.ts';
import { listDueCertificates } from './certificates/store.ts';
import { listDueClocks } from './clock-store.ts';
import { type AlertCounts, evaluateAgain, evaluateTime } from './evaluate.ts';

const batchMax = 100;
/** A result that was on its way when the time was up is judged first. */
const settleMs = 1000;

/**
 * Opens and resolves alerts whose time is up, each once on any number of replicas. Returns how many monitors were due.
 */
export async function sweepAlerts(pool: pg.Pool, count: (counts: AlertCounts) => void, nowMs: number): Promise<number> {
  const dueMs = nowMs - settleMs;
  const ids = await listDueClocks(sqlOf(pool), dueMs, batchMax);
  if (ids.length === 0) return 0;
  const counted = await transactionByItem(pool, async sql => {
    const states = await lockStates(sql, ids);
    const due = new Set(await listDueClocks(sql, dueMs, batchMax));
    const quarantines = await readQuarantines(sql);
    return each(
      sql,
      'alerts',
      nowMs,
      states.filter(({ monitorId }) => due.has(monitorId)),
      state => evaluateTime(sql, state, quarantines.of(state.projectId), dueMs, nowMs),
    );
  });
  for (const counts of counted) count(counts);
  return counted.length;
}

/** Evaluates the alerts of monitors again for which that failed. Returns for how many it worked. */
export async function retryAlerts(pool: pg.Pool, count: (counts: AlertCounts) => void, nowMs: number): Promise<number> {
  const ids = await listToRetry(sqlOf(pool), 'alerts', nowMs, batchMax);
  if (ids.length === 0) return 0;
  const counted = await transactionByItem(pool, async sql => {
    const quarantines = await readQuarantines(sql);
    const states = await lockStates(sql, ids);
    // Of monitors that are deleted for good.
    for (const id of ids)
      if (!states.some(({ monitorId }) => monitorId === id)) await clearFailure(sql, { work: 'alerts', id });
    return each(sql, 'alerts', nowMs, states, async state => {
      const counts = await evaluateAgain(sql, state, quarantines.of(state.projectId), nowMs);
      await clearFailure(sql, { work: 'alerts', id: state.monitorId });
      return counts;
    });
  });
  for (const counts of counted) count(counts);
  return counted.length;
}

/** Works on one monitor after the other; those that fail are left out of what is returned. */
async function each(
  sql: Sql,
  work: Work,
  nowMs: number,
  states: readonly MonitorState[],
  evaluate: (state: MonitorState) => Promise<AlertCounts>,
): Promise<AlertCounts[]> {
  const all: AlertCounts[] = [];
  for (const state of states) {
    const item: Item = { work, id: state.monitorId, projectId: state.projectId, nowMs };
    const counts = await attempt(
      sql,
      item,
      () => evaluate(state),
      () => null,
    );
    if (counts !== null) all.push(counts);
  }
  return all;
}

/** The same of alerts about certificates. */
export async function sweepCertificates(
  pool: pg.Pool,
  count: (counts: AlertCounts) => void,
  nowMs: number,
): Promise<number> {
  const dueMs = nowMs - settleMs;
  const ids = await listDueCertificates(sqlOf(pool), dueMs, batchMax);
  if (ids.length === 0) return 0;
  const counted = await transactionByItem(pool, async sql =>
    each(sql, 'certificates', nowMs, await lockStates(sql, ids), state =>
      followCertificateTime(sql, state, dueMs, nowMs),
    ),
  );
  for (const counts of counted) count(counts);
  return counted.length;
}
