import type { Sql } from '../../../platform/db/sql.ts';
import { deleteTemplatesOf } from './template-store.ts';

/** Deletes raw results of whole monitors, with their templates. */
export async function deleteRowsOf(sql: Sql, monitorIds: readonly string[]): Promise<void> {
  await sql.run`delete from check_results where monitor_id = any(${monitorIds}::text[])`;
  await deleteTemplatesOf(sql, monitorIds);
}
