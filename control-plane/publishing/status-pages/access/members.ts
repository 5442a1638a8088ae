import type { Sql } from '../../../platform/db/sql.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { announceDocuments, lockPublication } from '../publish/publication-store.ts';
import { lockStatusPage } from '../store.ts';
import { writeGate } from './change-access.ts';
import { listMembersPages } from './store.ts';

/** Publishes who are members now, on all pages of these projects that are for members. The projects must be locked. */
export async function writeGatesOf(
  sql: Sql,
  projectIds: readonly string[],
  keyringOf: () => Keyring,
  nowMs: number,
): Promise<void> {
  for (const { id, project_id } of await listMembersPages(sql, projectIds)) {
    await lockPublication(sql, id, nowMs);
    const row = await lockStatusPage(sql, project_id, id);
    if (row?.access_type !== 'members') continue;
    await writeGate(sql, row, keyringOf(), nowMs);
    await announceDocuments(sql, id);
  }
}
