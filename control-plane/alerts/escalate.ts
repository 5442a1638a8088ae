import type pg from 'pg';
import { transaction } from '../db/transaction.ts';
import { appendFact } from '../facts/store.ts';
import { escalateDue } from './store.ts';

/** Escalates due alerts and appends a fact for each; each alert once, on any replica. Returns how many. */
export async function escalateAlerts(pool: pg.Pool, nowMs: number): Promise<number> {
  return transaction(pool, async sql => {
    const due = await escalateDue(sql, nowMs);
    for (const { id, project_id, monitor_id } of due) {
      await appendFact(
        sql,
        { kind: 'alert.escalated', projectId: project_id, subject: id, payload: { monitor_id } },
        nowMs,
      );
    }
    return due.length;
  });
}
