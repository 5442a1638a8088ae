import type { Sql } from '../../platform/db/sql.ts';
import type { FieldError } from '../../platform/http/problem.ts';
import { unknownMonitors } from './reference-store.ts';

/** An error for each id that is not a monitor of the project. */
export async function validateMonitorIds(
  sql: Sql,
  projectId: string,
  ids: readonly string[] = [],
): Promise<FieldError[]> {
  if (ids.length === 0) return [];
  const unknown = await unknownMonitors(sql, projectId, ids);
  return unknown.map(id => ({
    pointer: `/monitor_ids/${ids.indexOf(id)}`,
    code: 'unknown_reference',
    detail: 'is not a monitor',
  }));
}
