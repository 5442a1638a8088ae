import type pg from 'pg';
import { appendFact } from '../../platform/facts/store.ts';
import { attempt, transactionByItem } from '../../platform/failures/by-item.ts';
import { lockToEscalate, markEscalated } from './store.ts';

/** Escalates due alerts and appends a fact for each; each alert once, on any replica. Returns how many. */
export async function escalateAlerts(pool: pg.Pool, nowMs: number): Promise<number> {
  return transactionByItem(pool, async sql => {
    let escalated = 0;
    for (const { id, project_id: projectId, monitor_id } of await lockToEscalate(sql, nowMs)) {
      const item = { work: 'escalation', id, projectId, nowMs } as const;
      const escalate = async () => {
        await markEscalated(sql, id, nowMs);
        await appendFact(sql, { kind: 'alert.escalated', projectId, subject: id, payload: { monitor_id } }, nowMs);
        return 1;
      };
      escalated += await attempt(sql, item, escalate, () => 0);
    }
    return escalated;
  });
}
