import type { AuditAction } from '../../platform/audit/actions.ts';
import type { Change, Effect, Fields } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { findIncident, type IncidentRow, type LockedIncident } from './store.ts';

/** The entry of an incident that was opened or deleted. Throws `not_found`. */
export async function incidentEntry(
  sql: Sql,
  { projectId, id }: { projectId: string; id: string },
  action: AuditAction,
  also: readonly Effect[] = [],
): Promise<Change> {
  const row = await findIncident(sql, projectId, id);
  if (row === null) throw new Problem('not_found');
  const fields = action === 'incident.deleted' ? { before: auditIncident(row), after: null } : null;
  return { action, subject: id, name: row.title, ...(fields ?? { before: null, after: auditIncident(row) }), also };
}

/** The entry of an update that was posted, which the incident's state follows. */
export async function updateEntry(
  sql: Sql,
  action: AuditAction,
  before: LockedIncident,
  updateId: string,
): Promise<Change> {
  const after = await findIncident(sql, before.project_id, before.id);
  const { id, state, body } = after?.updates.find(update => update.id === updateId) ?? {};
  return {
    action,
    subject: before.id,
    name: after?.title ?? null,
    before: { state: before.state, resolved_at: toText(before.resolved_at), update: null },
    after: { state: after?.state, resolved_at: toText(after?.resolved_at ?? null), update: { id, state, body } },
  };
}

function auditIncident(row: IncidentRow): Fields {
  return {
    status_page_id: row.status_page_id,
    alert_id: row.alert_id,
    title: row.title,
    state: row.state,
    severity: row.severity,
    impact: row.impact,
    affected_components: row.affected_components,
    updates: row.updates.map(({ id, state, body }) => ({ id, state, body })),
    started_at: toText(row.started_at),
    resolved_at: toText(row.resolved_at),
    postmortem_url: row.postmortem_url,
    postmortem_body: row.postmortem_body,
  };
}

function toText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
