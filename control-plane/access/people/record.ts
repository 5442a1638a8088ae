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
  await recordIn(sql, recordChange, { places: await placesOf(sql, personId), origin, change }, nowMs);
}

/** Where what concerns a person is recorded: without a project, and in each of theirs. */
export async function placesOf(sql: Sql, personId: string): Promise<(string | null)[]> {
  const projects = await listProjectsOf(sql, personId, projectsMax);
  return [null, ...projects.map(({ id }) => id)];
}

/** Records one change in several places. */
export async function recordIn(
  sql: Sql,
  recordChange: RecordChange,
  { places, origin, change }: { places: readonly (string | null)[]; origin: Omit<Origin, 'projectId'>; change: Change },
  nowMs: number,
): Promise<void> {
  for (const projectId of places) await recordChange(sql, { ...origin, projectId }, change, nowMs);
}
