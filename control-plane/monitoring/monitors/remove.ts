import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { Problem } from '../../platform/http/problem.ts';
import { lockSelectorBindings } from '../components/selector-binding-store.ts';
import { endMemberships } from '../memberships/member-store.ts';
import { monitorEntry } from './audit.ts';
import { applyVersion, freshStart, type MonitorServices } from './configure.ts';
import { markDeleted } from './deleted-store.ts';
import { dropAddresses } from './heartbeats/configure.ts';
import { toMonitor } from './row.ts';
import { deleteUses } from './secrets/project-secrets-store.ts';
import { lockStates } from './state/state-store.ts';
import { lockMonitor } from './store.ts';

/**
 * Deletes a monitor; its history remains for 30 days. Returns the entry for the audit. Throws `not_found` and
 * `changed_since`.
 */
export async function removeMonitor(
  sql: Sql,
  services: MonitorServices,
  target: { projectId: string; id: string; expectedUpdate?: number | null },
  nowMs: number,
): Promise<Change> {
  await lockSelectorBindings(sql, target.projectId, 'shared');
  const [state] = await lockStates(sql, [target.id]);
  const row = await lockMonitor(sql, target.projectId, target.id);
  if (row === null || state === undefined) throw new Problem('not_found');
  requireUnchanged(target.expectedUpdate, row.updated_at);
  const stored = toMonitor(row, services.keyring);
  await markDeleted(sql, target.id, nowMs);
  await endMemberships(sql, target.id, nowMs);
  if (stored.secretFields.length > 0) await deleteUses(sql, target.id);
  await dropAddresses(sql, { id: target.id, projectId: target.projectId });
  // The deletion has its own row among the versions. Its negative number takes none that a client could see.
  const monitor = { ...stored, configVersion: -stored.configVersion };
  await applyVersion(sql, services, { monitor, deleted: true, change: freshStart, state }, nowMs);
  return monitorEntry('monitor.deleted', { before: stored, after: null });
}
