import type { Sql } from '../../../platform/db/sql.ts';
import { appendFact } from '../../../platform/facts/store.ts';
import type { Occurrence } from '../occurrences/store.ts';
import { assertCapacity } from './limits.ts';
import { insertUpdate, measureUpdates, type NewUpdate } from './store.ts';

/** Adds an update to a locked occurrence; pages and subscribers follow. Throws `validation_failed` if it is full. */
export async function postUpdate(
  sql: Sql,
  occurrence: Pick<Occurrence, 'id' | 'maintenance_id' | 'project_id'>,
  update: NewUpdate,
  nowMs: number,
): Promise<void> {
  if (update.automatic === null) assertCapacity(await measureUpdates(sql, occurrence.id), update.body);
  const id = await insertUpdate(sql, occurrence, update, nowMs);
  const payload = { maintenance_id: occurrence.maintenance_id, occurrence_id: occurrence.id, state: update.state };
  await appendFact(sql, { kind: 'maintenance.updated', projectId: occurrence.project_id, subject: id, payload }, nowMs);
}
