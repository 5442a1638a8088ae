import type { Change, Origin } from '../../platform/audit/entry.ts';
import type { RecordChange } from '../../platform/audit/record.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { listProjectsOf } from '../members/store.ts';

const projectsMax = 100;

/**
 * Records what concerns somebody as a person: in the installation's audit, and in that of each of their projects, whose
 * admins see how their people sign in. Open streams of these projects ask again who they are.
 */
export async function recordEverywhere(
  sql: Sql,
  recordChange: RecordChange,
  { personId, origin, change }: { personId: string; origin: Omit<Origin, 'projectId'>; change: Change },
  nowMs: number,
): Promise<void> {
  const projects = await listProjectsOf(sql, personId, projectsMax);
  for (const projectId of [null, ...projects.map(({ id }) => id)])
    await recordChange(sql, { ...origin, projectId }, change, nowMs);
}
