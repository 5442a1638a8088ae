import type { Acknowledger } from '../../monitoring/alerts/alert.ts';
import { acknowledge } from '../../monitoring/alerts/state-store.ts';
import { wholeEntry } from '../../platform/audit/cut.ts';
import type { Change, Effect } from '../../platform/audit/entry.ts';
import { insertEntry } from '../../platform/audit/store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { appendFact } from '../../platform/facts/store.ts';
import { listOpenAlerts } from './store.ts';

/** How it is recorded: by the endpoint, or here for somebody without a token, with the request's id. */
type Recording = ((change: Change) => Promise<unknown>) | { requestId: string };

/**
 * Acknowledges the open alerts of a group, each with its fact, and one entry of the audit; with `openedBefore` none
 * that opened later. Returns how many.
 */
export async function acknowledgeGroup(
  sql: Sql,
  { projectId, groupId, openedBefore }: { projectId: string; groupId: string; openedBefore?: number },
  by: Acknowledger,
  nowMs: number,
  recording: Recording,
): Promise<number> {
  const open = await listOpenAlerts(sql, projectId, groupId, openedBefore ?? null);
  const acknowledged: string[] = [];
  for (const { id, monitor_id } of open) {
    if (!(await acknowledge(sql, projectId, id, by, nowMs))) continue;
    acknowledged.push(id);
    await appendFact(sql, { kind: 'alert.acknowledged', projectId, subject: id, payload: { monitor_id } }, nowMs);
  }
  if (acknowledged.length > 0) {
    const also: Effect[] = acknowledged.slice(0, wholeEntry.effects).map(id => {
      return {
        resource: 'alert',
        subject: id,
        name: null,
        before: { state: 'open' },
        after: { state: 'acknowledged' },
      };
    });
    const fields = { before: { open: acknowledged.length }, after: { open: 0 } };
    const change: Change = { action: 'alert_group.acknowledged', subject: groupId, name: null, ...fields, also };
    if (typeof recording === 'function') await recording(change);
    else await insertEntry(sql, { projectId, actor: by, via: 'api', planId: null, ...recording }, change, nowMs);
  }
  return acknowledged.length;
}
