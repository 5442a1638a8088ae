import type { Sql } from '../../platform/db/sql.ts';
import { lockExisting } from './lock.ts';
import { clearDue } from './occurrences/store.ts';
import { recordChange } from './record-change.ts';
import { markMaintenanceDeleted } from './store.ts';

/** Deletes a maintenance with all its effect, as if it had never been. Throws `not_found`. */
export async function removeMaintenance(
  sql: Sql,
  { projectId, id }: { projectId: string; id: string },
  nowMs: number,
): Promise<void> {
  const maintenance = await lockExisting(sql, projectId, id);
  await clearDue(sql, id);
  await markMaintenanceDeleted(sql, id, nowMs);
  await recordChange(sql, maintenance, 'maintenance.changed', nowMs);
}
