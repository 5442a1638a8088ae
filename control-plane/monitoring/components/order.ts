import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { fieldProblem } from '../../platform/http/problem.ts';
import type { ComponentOrder } from './component.ts';
import { lockPlaces, writePlaces } from './order-store.ts';
import { recordChange } from './record-change.ts';

/**
 * Puts all components of a page into another order, and into other groups. Returns the entry for the audit. Throws
 * `validation_failed` unless each component of the page is named.
 */
export async function orderComponents(
  sql: Sql,
  projectId: string,
  { status_page_id: statusPageId, components }: ComponentOrder,
  nowMs: number,
): Promise<Change> {
  const before = await lockPlaces(sql, projectId, statusPageId);
  const known = new Set(before.map(({ id }) => id));
  const wrong = components.findIndex(({ id }) => !known.has(id));
  if (wrong >= 0) throw fieldProblem(`/components/${wrong}/id`, 'unknown_reference', 'is not a component of the page');
  if (components.length !== before.length)
    throw fieldProblem('/components', 'required', `must name all ${before.length} components of the page`);
  const [first] = await writePlaces(sql, projectId, components, nowMs);
  if (first !== undefined) await recordChange(sql, { projectId, id: first, statusPageId }, nowMs);
  const [old, present] = [{ components: before }, { components }];
  return { action: 'component.ordered', subject: statusPageId, name: null, before: old, after: present };
}
