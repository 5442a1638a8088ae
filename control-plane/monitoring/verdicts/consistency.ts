import type pg from 'pg';
import { minuteMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import type { Verdict } from '#shared/vocabulary.ts';
import { sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { attemptApart } from '../../platform/failures/by-item.ts';
import { lockStates, writeStates } from '../monitors/state/state-store.ts';
import { findDisagreeing, findLastRow, realignAlerts } from './consistency-store.ts';
import type { VerdictHooks } from './hooks.ts';
import { writeChange } from './store.ts';
import { changeOf, type VerdictCause } from './timeline.ts';

const portion = 2000;

/**
 * What holds at every commit: a monitor's verdict and its start are those of the last row of its history, and an alert
 * starts with a down row. Where it does not hold, which is a defect of ours, it is logged and healed: the row's start
 * is right, and a verdict that has no row gets one. Returns how many monitors and alerts were healed.
 */
export async function healHistory(pool: pg.Pool, hooks: VerdictHooks, nowMs: number, log: Logger): Promise<number> {
  let healed = 0;
  for (let afterId: string | null = ''; afterId !== null; ) {
    const { disagreeing, lastId } = await findDisagreeing(sqlOf(pool), afterId, portion);
    for (const id of disagreeing) {
      const heal = async () => {
        if (await healMonitor(pool, hooks, id, log)) healed += 1;
      };
      await attemptApart(pool, { work: 'history', id, projectId: null, nowMs }, heal);
    }
    afterId = lastId;
  }
  const alerts = await realignAlerts(sqlOf(pool), nowMs - minuteMs);
  if (alerts.length > 0) log.error({ alerts }, 'alerts did not start with a row of the history and were healed');
  return healed + alerts.length;
}

/** Looks again with the row locked: judging may have been between two reads. */
async function healMonitor(pool: pg.Pool, hooks: VerdictHooks, monitorId: string, log: Logger): Promise<boolean> {
  return transaction(pool, async sql => {
    const [state] = await lockStates(sql, [monitorId]);
    const last = await findLastRow(sql, monitorId);
    if (state === undefined || (last?.verdict === state.verdict && last.since === state.since)) return false;
    const { verdict } = state;
    log.error(
      { monitor: monitorId, state: { verdict, since: state.since }, row: last },
      'the state of a monitor contradicted its history and was repaired',
    );
    if (last?.verdict === verdict) {
      await writeStates(sql, [{ ...state, since: last.since }]);
      await hooks.historyMoved(
        sql,
        monitorId,
        [changeOf(state, state.since, causeOf(verdict))],
        [changeOf({ ...state, since: last.since }, last.since, causeOf(verdict))],
      );
      return true;
    }
    const start = Math.max(state.since, (last?.since ?? 0) + 1);
    const { since } = await writeChange(sql, state, changeOf({ ...state, since: start }, start, causeOf(verdict)));
    await writeStates(sql, [{ ...state, since }]);
    return true;
  });
}

/** What makes a verdict as a rule: what made this one is not known any more. */
function causeOf(verdict: Verdict): VerdictCause {
  switch (verdict) {
    case 'pending':
    case 'paused':
    case 'deleted':
      return 'configuration';
    case 'undetermined':
      return 'expiry';
    case 'up':
    case 'degraded':
    case 'down':
      return 'vote';
    default:
      return verdict satisfies never;
  }
}
