import { unknownComponents } from '../components/store.ts';
import type { Sql } from '../db/sql.ts';
import type { FieldError } from '../http/problem.ts';
import { startAheadMaxMs } from './incident.ts';

/** Faults against the database and the clock of the fields that are there. */
export async function incidentFaults(
  sql: Sql,
  scope: { projectId: string; statusPageId: string; resolvedAt: number | null },
  fields: { affected_components?: unknown; started_at?: unknown },
  nowMs: number,
): Promise<FieldError[]> {
  const components = Array.isArray(fields.affected_components) ? (fields.affected_components as string[]) : [];
  const unknown = await unknownComponents(sql, scope.projectId, components, scope.statusPageId);
  const faults = unknown.map(
    (id): FieldError => ({
      pointer: `/affected_components/${components.indexOf(id)}`,
      code: 'unknown_reference',
      detail: 'is not a component of the status page',
    }),
  );
  if (typeof fields.started_at !== 'number') return faults;
  const refuse = (detail: string): FieldError => ({ pointer: '/started_at', code: 'out_of_range', detail });
  if (fields.started_at > nowMs + startAheadMaxMs)
    return [...faults, { ...refuse('must not be more than five minutes ahead'), code: 'in_future' }];
  if (scope.resolvedAt !== null && fields.started_at > scope.resolvedAt)
    return [...faults, refuse('must not be after the end')];
  return faults;
}
