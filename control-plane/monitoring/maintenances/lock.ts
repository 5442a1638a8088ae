import type { Sql } from '../../platform/db/sql.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { Problem } from '../../platform/http/problem.ts';
import { lockQuota } from '../../platform/project-limits/quota-store.ts';
import { lockSelectorBindings } from '../components/selector-binding-store.ts';
import { lockMaintenance, type StoredMaintenance } from './store.ts';

/** Takes the locks of a new maintenance, or of a change of one that may move its members: before all rows. */
export async function lockMembers(sql: Sql, projectId: string): Promise<void> {
  await lockQuota(sql, projectId, 'maintenances');
  await lockSelectorBindings(sql, projectId, 'alone');
}

/** Locks a maintenance until the transaction ends. Throws `not_found` and `changed_since`. */
export async function lockExisting(
  sql: Sql,
  projectId: string,
  id: string,
  expectedUpdate: number | null = null,
): Promise<StoredMaintenance> {
  const maintenance = await lockMaintenance(sql, projectId, id);
  if (maintenance === null) throw new Problem('not_found');
  requireUnchanged(expectedUpdate, maintenance.updated_at);
  return maintenance;
}
