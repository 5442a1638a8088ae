import { unknownComponents } from '../../monitoring/components/reference-store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { type FieldError, Problem } from '../../platform/http/problem.ts';

type StatusPage = { projectId: string; statusPageId: string };
/** Component ids of a body; `pointer` is the JSON Pointer of the object whose field `component_ids` has them. */
export type ComponentList = { ids: readonly string[]; pointer: string };

/** An error for each component that is not one of the status page. */
export async function validateComponents(
  sql: Sql,
  { projectId, statusPageId }: StatusPage,
  lists: readonly ComponentList[],
): Promise<FieldError[]> {
  const ids = [...new Set(lists.flatMap(list => list.ids))];
  const unknown = new Set(await unknownComponents(sql, projectId, ids, statusPageId));
  return lists.flatMap(list =>
    list.ids.flatMap((id, index): FieldError[] => {
      const pointer = `${list.pointer}/component_ids/${index}`;
      return unknown.has(id) ? [{ pointer, code: 'unknown_reference', detail: 'is not a component of this page' }] : [];
    }),
  );
}

/** Throws `validation_failed` if one of the body's `component_ids` is not a component of the status page. */
export async function requireComponents(sql: Sql, page: StatusPage, ids: readonly string[]): Promise<void> {
  const errors = await validateComponents(sql, page, [{ ids, pointer: '' }]);
  if (errors.length > 0) throw new Problem('validation_failed', { errors });
}
