import type { Sql } from '../db/sql.ts';
import type { Caller } from '../http/endpoint.ts';
import { fieldProblem } from '../http/problem.ts';
import { type IncidentPost, impactOf } from './incident.ts';
import { openIncident } from './open.ts';
import { recordAudit } from './record-audit.ts';

/** Opens an incident as posted; returns its id. Throws `validation_failed` for a status page that does not exist. */
export async function createIncident(sql: Sql, caller: Caller, post: IncidentPost, nowMs: number): Promise<string> {
  const incident = {
    projectId: caller.projectId,
    statusPageId: post.status_page_id,
    alertId: null,
    title: post.title,
    severity: post.severity,
    impact: post.impact ?? impactOf(post.severity),
    affectedComponents: post.affected_components,
    startedAt: post.started_at ?? nowMs,
  };
  const id = await openIncident(sql, incident, post.initial_update, nowMs);
  if (id === null) throw fieldProblem('/status_page_id', 'unknown_reference', 'is not a status page');
  await recordAudit(sql, caller, { action: 'incident.opened', subject: id, given: post }, nowMs);
  return id;
}
