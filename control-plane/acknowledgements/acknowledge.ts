import type { Acknowledger } from '../alerts/alert.ts';
import { acknowledge } from '../alerts/state-store.ts';
import type { Sql } from '../db/sql.ts';
import { appendFact } from '../facts/store.ts';
import { listOpenAlerts } from './store.ts';

/** Acknowledges all open alerts of a group, each with its fact. Returns how many there were. */
export async function acknowledgeGroup(
  sql: Sql,
  { projectId, groupId }: { projectId: string; groupId: string },
  by: Acknowledger,
  nowMs: number,
): Promise<number> {
  const open = await listOpenAlerts(sql, projectId, groupId);
  let count = 0;
  for (const { id, monitor_id } of open) {
    if (!(await acknowledge(sql, projectId, id, by, nowMs))) continue;
    count += 1;
    await appendFact(sql, { kind: 'alert.acknowledged', projectId, subject: id, payload: { monitor_id } }, nowMs);
  }
  return count;
}
