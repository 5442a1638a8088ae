import type { Severity } from '#shared/vocabulary.ts';
import type { Acknowledger } from '../../monitoring/alerts/alert.ts';
import { markPromoted } from '../../monitoring/alerts/state-store.ts';
import type { Change, Effect } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { appendFact } from '../../platform/facts/store.ts';
import { fieldProblem, Problem } from '../../platform/http/problem.ts';
import { lockQuota } from '../../platform/project-limits/quota-store.ts';
import { incidentEntry } from './audit.ts';
import type { PromotePost } from './incident.ts';
import { openIncident } from './open.ts';
import { findPageName, listPagesOf, type PromotableAlert, readPromotable } from './promote-store.ts';
import { draftPromotion, type Promotion } from './promotion.ts';

export type PromotionRequest = {
  projectId: string;
  alertId: string;
  severity: Severity | null;
  statusPageId: string | null;
};

type NamedRow = { id: string; name: string };

/** What promoting would publish. `page` is null when none was named and the monitor is on no page, or on several. */
export type Preview = Promotion & {
  alert: PromotableAlert;
  page: NamedRow | null;
  components: NamedRow[];
  pages: NamedRow[];
};

/** Drafts what promoting would publish. Throws `not_found`, and `validation_failed` for an unknown page. */
export async function previewPromotion(sql: Sql, request: PromotionRequest, lock = false): Promise<Preview> {
  const alert = await readPromotable(sql, request.projectId, request.alertId, lock);
  if (alert === null) throw new Problem('not_found');
  const pages = await listPagesOf(sql, request.projectId, alert.monitor_id);
  const page = await choosePage(sql, request, pages);
  const components = pages.find(candidate => candidate.id === page?.id)?.components ?? [];
  const promotion = draftPromotion(alert, alert.monitor_name, request.severity ?? alert.severity);
  return { ...promotion, alert, page, components, pages: pages.map(({ id, name }) => ({ id, name })) };
}

/**
 * Opens an incident from an alert, once, with the texts given, else those of the preview. An open alert is
 * acknowledged by `by`. Returns the entry for the audit. Throws `alert_already_promoted`, `not_found`, and
 * `validation_failed` when the page is unknown or has to be named.
 */
export async function promoteAlert(
  sql: Sql,
  request: PromotionRequest,
  { title, impact, body }: Pick<PromotePost, 'title' | 'impact' | 'body'>,
  by: Acknowledger,
  nowMs: number,
): Promise<Change> {
  await lockQuota(sql, request.projectId, 'open_incidents');
  const preview = await previewPromotion(sql, request, true);
  const { alert, page } = preview;
  if (alert.incident_id !== null)
    throw new Problem('alert_already_promoted', { extra: { incident_id: alert.incident_id } });
  if (page === null)
    throw fieldProblem(
      '/status_page_id',
      'required',
      'is required: the monitor’s components are on no status page, or on more than one',
    );
  const incident = {
    projectId: request.projectId,
    statusPageId: page.id,
    alertId: alert.id,
    title: title ?? preview.title,
    severity: preview.severity,
    impact: impact ?? preview.impact,
    affectedComponents: preview.components.map(component => component.id),
    startedAt: alert.started_at,
  };
  const update = { ...preview.initialUpdate, body: body ?? preview.initialUpdate.body };
  const id = await openIncident(sql, incident, update, nowMs);
  if (id === null) throw fieldProblem('/status_page_id', 'unknown_reference', 'is not a status page');
  const acknowledged = await markPromoted(sql, alert.id, id, by, nowMs);
  if (acknowledged) {
    const payload = { monitor_id: alert.monitor_id };
    const projectId = request.projectId;
    await appendFact(sql, { kind: 'alert.acknowledged', projectId, subject: alert.id, payload }, nowMs);
  }
  const state = acknowledged ? 'acknowledged' : alert.state;
  const before = { incident_id: null, state: alert.state };
  const promoted: Effect = {
    resource: 'alert',
    subject: alert.id,
    name: null,
    before,
    after: { incident_id: id, state },
  };
  return incidentEntry(sql, { projectId: request.projectId, id }, 'incident.promoted', [promoted]);
}

async function choosePage(sql: Sql, request: PromotionRequest, pages: readonly NamedRow[]): Promise<NamedRow | null> {
  if (request.statusPageId === null) return pages.length === 1 ? (pages[0] ?? null) : null;
  const page = await findPageName(sql, request.projectId, request.statusPageId);
  if (page === null) throw fieldProblem('/status_page_id', 'unknown_reference', 'is not a status page');
  return page;
}
