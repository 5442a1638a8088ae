import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { deleteReleaseEvent } from '../events/erase-store.ts';
import { limits } from '../events/event.ts';
import type { ReleaseHooks } from './hooks.ts';
import { attributedEnvironment } from './release.ts';
import { deleteRelease, findNextMarker, type ReleaseRow } from './store.ts';

/**
 * Deletes a release and its marker on timelines. Entries of its time go back to the release before, as far as their raw
 * events are stored; older hours keep its id. Returns what was deleted. Throws `not_found`.
 */
export async function removeRelease(
  sql: Sql,
  hooks: ReleaseHooks,
  { projectId, id }: { projectId: string; id: string },
  nowMs: number,
): Promise<ReleaseRow> {
  const row = await deleteRelease(sql, projectId, id);
  if (row === null) throw new Problem('not_found');
  const { environment, released_at: fromMs } = row;
  await deleteReleaseEvent(sql, { projectId, id: row.event_id, ingestedAt: row.created_at });
  if (environment === attributedEnvironment) {
    const nextMs = await findNextMarker(sql, projectId, fromMs);
    await hooks.released(sql, projectId, fromMs, nextMs ?? nowMs + limits.aheadMs);
  }
  return row;
}
