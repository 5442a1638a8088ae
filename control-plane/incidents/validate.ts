import { unknownComponents } from '../components/reference-store.ts';
import type { Sql } from '../db/sql.ts';
import type { FieldError } from '../http/problem.ts';
import { startAheadMaxMs } from './incident.ts';

/** Checks the given fields against the database and the clock. Returns an error for each field that is wrong. */
export async function incidentFaults(
  sql: Sql,
  scope: { projectId: string; statusPageId: string; resolvedAt: number | null },
  fields: { affected_components?: unknown; started_at?: unknown },
  nowMs: number,
): Promise<FieldError[]> {
  const components = Array.isArray(fields.affected_components) ? fields.affected_components.map(String) : [];
  const unknown = await unknownComponents(sql, scope.projectId, components, scope.statusPageId);
  const referenceErrors = unknown.map(
    (id): FieldError => ({
      pointer: `/affected_components/${components.indexOf(id)}`,
      code: 'unknown_reference',
      detail: 'is not a component of this status page',
    }),
  );
  return [...referenceErrors, ...startErrors(fields.started_at, scope.resolvedAt, nowMs)];
}

/** An incident may start `startAheadMaxMs` from now at the latest, and not after its end. Passes all but numbers. */
export function startErrors(startedAt: unknown, resolvedAt: number | null, nowMs: number): FieldError[] {
  if (typeof startedAt !== 'number') return [];
  const pointer = '/started_at';
  if (startedAt > nowMs + startAheadMaxMs)
    return [{ pointer, code: 'in_future', detail: 'must not be more than five minutes in the future' }];
  if (resolvedAt !== null && startedAt > resolvedAt)
    return [{ pointer, code: 'out_of_range', detail: 'must not be after resolved_at' }];
  return [];
}
