import type pg from 'pg';
import { sqlOf } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { lockStates } from '../monitors/state-store.ts';
import { readQuarantines } from '../verdicts/region-fault-store.ts';
import { followCertificateTime } from './certificate-follow.ts';
import { listDueCertificates } from './certificate-store.ts';
import { listDueClocks } from './clock-store.ts';
import { type AlertCounts, evaluateTime } from './evaluate.ts';

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
  const counted = await transaction(pool, async sql => {
    const states = await lockStates(sql, ids);
    const due = new Set(await listDueClocks(sql, dueMs, batchMax));
    const quarantines = await readQuarantines(sql);
    const all: AlertCounts[] = [];
    for (const state of states)
      if (due.has(state.monitorId))
        all.push(await evaluateTime(sql, state, quarantines.of(state.projectId), dueMs, nowMs));
    return all;
  });
  for (const counts of counted) count(counts);
  return counted.length;
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
  const counted = await transaction(pool, async sql => {
    const all: AlertCounts[] = [];
    for (const state of await lockStates(sql, ids)) all.push(await followCertificateTime(sql, state, dueMs, nowMs));
    return all;
  });
  for (const counts of counted) count(counts);
  return counted.length;
}
