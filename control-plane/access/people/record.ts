import type { Change, Effect, Origin } from '../../platform/audit/entry.ts';
import type { RecordChange } from '../../platform/audit/record.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { listProjectsOf } from '../members/store.ts';

const projectsMax = 100;

/** A change of a person, by whom, and what else it did in which project. */
type What = { origin: Omit<Origin, 'projectId'>; change: Change; alsoIn?: ReadonlyMap<string, Effect[]> };

/**
 * Records what concerns somebody as a person: in the installation's audit, and in that of each of their projects, whose
 * admins see how their people sign in. Open streams of these projects ask again who they are.
 */
export async function recordEverywhere(
  sql: Sql,
  recordChange: RecordChange,
  { personId, ...what }: { personId: string } & What,
  nowMs: number,
): Promise<void> {
  await recordIn(sql, recordChange, { places: await placesOf(sql, personId), ...what }, nowMs);
}

/** Where what concerns a person is recorded: without a project, and in each of theirs. */
export async function placesOf(sql: Sql, personId: string): Promise<(string | null)[]> {
  const projects = await listProjectsOf(sql, personId, projectsMax);
  return [null, ...projects.map(({ id }) => id)];
}

/** Records one change in several places, in each with what it did there. */
export async function recordIn(
  sql: Sql,
  recordChange: RecordChange,
  { places, origin, change, alsoIn }: { places: readonly (string | null)[] } & What,
  nowMs: number,
): Promise<void> {
  for (const projectId of places)
    await recordChange(sql, { ...origin, projectId }, withEffects(change, alsoIn, projectId), nowMs);
}

/** The change as one project sees it. */
export function withEffects(change: Change, alsoIn: What['alsoIn'], projectId: string | null): Change {
  const also = projectId === null ? undefined : alsoIn?.get(projectId);
  return also === undefined ? change : { ...change, also };
}
