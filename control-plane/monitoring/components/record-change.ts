import type { Sql } from '../../platform/db/sql.ts';
import { appendFact } from '../../platform/facts/store.ts';

/** Records that a component was created, changed or deleted, so that its status page is published again. */
export function recordChange(
  sql: Sql,
  component: { projectId: string; id: string; statusPageId: string },
  nowMs: number,
): Promise<void> {
  const { projectId, id, statusPageId } = component;
  const payload = { status_page_id: statusPageId };
  return appendFact(sql, { kind: 'component.changed', projectId, subject: id, payload }, nowMs);
}
