import { findNotice } from '../../monitoring/notices/store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { StoredFact } from '../../platform/facts/fact.ts';
import { findProject } from '../../platform/projects/store.ts';
import type { ChannelNotice } from '../channels/notice.ts';
import { queueNotice } from '../channels/queue-store.ts';
import { quietEnd } from './quiet-hours.ts';
import type { RouteView } from './route.ts';
import { listRoutes, viewRoute } from './store.ts';

/**
 * Queues a notice that opened or closed for the channels in the first steps of the routes that name its kind, in the
 * transaction that marks its fact done. In quiet hours it waits for their end. Idempotent.
 */
export async function routeNotice(sql: Sql, fact: StoredFact, nowMs: number): Promise<void> {
  if (fact.kind !== 'notice.opened' && fact.kind !== 'notice.closed') return;
  if (fact.projectId === null || 'restored' in fact.payload) return;
  const routes = routesOfNotice((await listRoutes(sql, fact.projectId)).map(viewRoute), fact.payload.notice);
  if (routes.length === 0) return;
  const notice = await findNotice(sql, fact.projectId, fact.subject);
  if (notice === null) return;
  const isOpening = fact.kind === 'notice.opened';
  const message: ChannelNotice = {
    step: isOpening ? 'notice' : 'notice_closed',
    at: fact.at,
    severity: 'p3',
    project: { id: fact.projectId, name: (await findProject(sql, fact.projectId))?.name ?? '' },
    group: null,
    members: [],
    joined: 0,
    recovered: 0,
    actor: null,
    subject: notice.id,
    title: notice.title,
    lines: isOpening ? [notice.detail] : [],
  };
  for (const route of routes) {
    const { quiet_hours: quiet } = route;
    const dueMs = quiet?.except_severities.includes('p3') ? null : quietEnd(quiet, nowMs);
    const queued = {
      projectId: fact.projectId,
      kind: 'notice' as const,
      key: message.step,
      thread: notice.id,
      sequence: isOpening ? 1 : 2,
      channelIds: route.steps[0]?.channel_ids ?? [],
      alertId: null,
      routeId: route.id,
      notice: message,
    };
    await queueNotice(sql, queued, nowMs, dueMs ?? nowMs);
  }
}

/** Pure: those of the routes in order that get a notice. One with a selector is about alerts. */
export function routesOfNotice<Route extends Pick<RouteView, 'enabled' | 'match' | 'continue'>>(
  inOrder: readonly Route[],
  kind: string,
): Route[] {
  const found: Route[] = [];
  for (const route of inOrder) {
    const { selector, notices } = route.match;
    if (!route.enabled || selector !== null || !notices.some(named => named === kind)) continue;
    found.push(route);
    if (!route.continue) break;
  }
  return found;
}
