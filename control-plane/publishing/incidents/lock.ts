import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { type LockedIncident, lockIncident } from './store.ts';

/** Locks an incident until the transaction ends. Throws `not_found`. */
export async function lockExisting(sql: Sql, projectId: string, id: string): Promise<LockedIncident> {
  const incident = await lockIncident(sql, projectId, id);
  if (incident === null) throw new Problem('not_found');
  return incident;
}
