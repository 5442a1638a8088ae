import type { Sql } from '../../platform/db/sql.ts';
import type { Fact } from '../../platform/facts/fact.ts';
import { appendFact } from '../../platform/facts/store.ts';

type MaintenanceFact = Extract<Fact, { kind: `maintenance.${string}` }>;

/** Records what happened to a maintenance, so that pages and those who want to know follow. */
export function recordChange(
  sql: Sql,
  maintenance: { id: string; project_id: string },
  kind: Exclude<MaintenanceFact['kind'], 'maintenance.updated'>,
  nowMs: number,
  occurrenceId: string | null = null,
): Promise<void> {
  const payload = { occurrence_id: occurrenceId };
  return appendFact(sql, { kind, projectId: maintenance.project_id, subject: maintenance.id, payload }, nowMs);
}
