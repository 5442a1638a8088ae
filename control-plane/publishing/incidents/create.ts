import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { fieldProblem } from '../../platform/http/problem.ts';
import { incidentEntry } from './audit.ts';
import { type IncidentPost, impactOf } from './incident.ts';
import { openIncident } from './open.ts';

/**
 * Opens an incident as posted; returns the entry for the audit. Throws `validation_failed` for a status page that does
 * not exist.
 */
export async function createIncident(sql: Sql, projectId: string, post: IncidentPost, nowMs: number): Promise<Change> {
  const incident = {
    projectId,
    statusPageId: post.status_page_id,
    alertId: null,
    title: post.title,
    severity: post.severity,
    impact: post.impact ?? impactOf(post.severity),
    affectedComponents: post.affected_components,
    startedAt: post.started_at ?? nowMs,
  };
  const { resolved_at: resolvedAt, notify } = post;
  const id = await openIncident(sql, incident, post.initial_update, nowMs, { postedAt: resolvedAt ?? nowMs, notify });
  if (id === null) throw fieldProblem('/status_page_id', 'unknown_reference', 'is not a status page');
  const entry = await incidentEntry(sql, { projectId, id }, 'incident.opened');
  return notify ? entry : { ...entry, after: { ...entry.after, notify } };
}
