import { unknownComponents } from '../../monitoring/components/reference-store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { ValidFields } from '../../platform/http/bodies/parse-body.ts';
import type { FieldError } from '../../platform/http/problem.ts';
import { type IncidentPost, startAheadMaxMs } from './incident.ts';

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

/** What a new incident that is over needs: a start before its end, which is past, and an update that says so. */
export function endErrors(fields: ValidFields<IncidentPost>, nowMs: number): FieldError[] {
  const { resolved_at: resolvedAt = null, started_at: startedAt, initial_update: update } = fields;
  if (resolvedAt === null) return [];
  const errors: FieldError[] = [];
  const add = (pointer: string, code: FieldError['code'], detail: string) => errors.push({ pointer, code, detail });
  if (resolvedAt > nowMs) add('/resolved_at', 'in_future', 'must not be in the future');
  if (startedAt === null) add('/started_at', 'required', 'is required with resolved_at');
  else if (startedAt !== undefined && startedAt > resolvedAt)
    add('/resolved_at', 'out_of_range', 'must not be before started_at');
  if (update === null) add('/initial_update', 'required', 'is required with resolved_at');
  else if (update !== undefined && update.state !== 'resolved')
    add('/initial_update/state', 'out_of_range', 'must be resolved with resolved_at');
  return errors;
}
