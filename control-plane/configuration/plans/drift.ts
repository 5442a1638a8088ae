import { toTimestamp } from '#shared/clock.ts';
import { listLastChanges } from '../../platform/audit/store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Outcome } from './run.ts';

/** Says of each action who changed the resource since the last apply, if somebody did. */
export async function addDrift(sql: Sql, projectId: string, watched: Outcome['watched']): Promise<void> {
  if (watched.length === 0) return;
  const since = watched.map(({ id, sinceMs }) => ({ subject: id, sinceMs }));
  const changes = new Map((await listLastChanges(sql, projectId, since)).map(change => [change.subject, change]));
  for (const { action, id } of watched) {
    const change = changes.get(id);
    if (change === undefined) continue;
    const { id: auditId, at, actor, via } = change;
    action.drift = { audit_id: auditId, at: toTimestamp(at), actor, via };
  }
}
