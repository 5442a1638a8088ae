import type { Sql } from '../../platform/db/sql.ts';
import { lockProjects } from '../../platform/projects/store.ts';
import { listProjectIdsOf, signOutOfPages } from './store.ts';

/**
 * What follows, in its transaction, when somebody becomes a member of these projects, is none any more, or when cookies
 * of theirs end: who may see the status pages for members.
 */
export type MembersChanged = (sql: Sql, projectIds: readonly string[], nowMs: number) => Promise<void>;

/**
 * Ends a person's visits to status pages: they signed out everywhere, or `resting`, their memberships do or do so no
 * more. The projects come first, as in each change of members.
 */
export async function endVisits(
  sql: Sql,
  { personId, resting }: { personId: string; resting: boolean | null },
  membersChanged: MembersChanged,
  nowMs: number,
): Promise<void> {
  const projectIds = await listProjectIdsOf(sql, personId);
  await lockProjects(sql, projectIds);
  await signOutOfPages(sql, personId, resting, nowMs);
  await membersChanged(sql, projectIds, nowMs);
}
