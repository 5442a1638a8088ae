import { hourMs } from '#shared/duration.ts';
import { type AlertRow, findAlert } from '../../monitoring/alerts/store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { withSavepoint } from '../../platform/db/transaction.ts';
import type { StoredFact } from '../../platform/facts/fact.ts';
import { mayBeOfOneItem } from '../../platform/failures/failure.ts';
import { causeOf, chooseGroup, keysOf } from '../alert-groups/keys.ts';
import {
  insertMember,
  listCertificates,
  listFailures,
  listOpening,
  listSuperseded,
  lockAlerts,
  markAcknowledged,
  markResolved,
  markUpdated,
} from '../alert-groups/member-store.ts';
import {
  countEvent,
  findGrouping,
  findGroupOf,
  findSuperseded,
  insertGroup,
  listCandidates,
  markRestored,
  noteJoin,
} from '../alert-groups/store.ts';
import { routesOf } from './match.ts';
import { findTarget } from './member-target-store.ts';
import { listRoutes, type RouteRow, viewRoute } from './store.ts';

/**
 * What routes do with a fact of an alert, in the transaction that marks it done: an alert that people are notified of
 * finds its routes and its group, and what happens to it later is noted for its group. A timer sends what follows.
 * Idempotent.
 */
export async function routeAlert(sql: Sql, fact: StoredFact, nowMs: number): Promise<void> {
  if (fact.projectId === null) return;
  switch (fact.kind) {
    case 'alert.opened':
      await notifyOpening(sql, fact.projectId, fact.subject, nowMs);
      break;
    case 'alert.acknowledged':
    case 'alert.updated':
    case 'alert.resolved':
      await noteChange(sql, fact.projectId, fact, nowMs);
      break;
    default:
      return;
  }
  if (fact.kind === 'alert.opened' || fact.kind === 'alert.resolved')
    await endSuperseded(sql, fact.projectId, fact.subject, nowMs);
  const groupId = 'restored' in fact.payload ? await findGroupOf(sql, fact.projectId, fact.subject) : null;
  if (groupId !== null) await markRestored(sql, groupId);
}

/** An alert that another one superseded ended without a fact: with that one's, its group knows. */
async function endSuperseded(sql: Sql, projectId: string, alertId: string, nowMs: number): Promise<void> {
  for (const ended of await listSuperseded(sql, projectId, alertId)) {
    const number = await countEvent(sql, ended.group_id, nowMs);
    await markResolved(sql, ended.alert_id, number, ended.resolved_at);
  }
}

/** All that wait are grouped in the order in which they opened, not in that of their facts. */
async function notifyOpening(sql: Sql, projectId: string, alertId: string, nowMs: number): Promise<void> {
  const routes = await listRoutes(sql, projectId);
  if (routes.length === 0 || (await findGroupOf(sql, projectId, alertId)) !== null) return;
  const alerts: AlertRow[] = [];
  const ids = [...new Set([alertId, ...(await listOpening(sql, projectId))])];
  for (const id of await lockAlerts(sql, projectId, ids)) {
    const alert = await findAlert(sql, projectId, id);
    if (alert !== null && alert.group_id === null) alerts.push(alert);
  }
  const notifiedFrom = (alert: AlertRow) => alert.released_at ?? alert.opened_at;
  alerts.sort((a, b) => notifiedFrom(a) - notifiedFrom(b) || (a.id < b.id ? -1 : 1));
  for (const alert of alerts) {
    const route = () => join(sql, alert, routes, notifiedFrom(alert), nowMs);
    if (alerts.length === 1) await route();
    // One that fails has a fact of its own, by which it is tried again.
    else await withSavepoint(sql, route).catch(ignoreOf(alert.id === alertId));
  }
}

function ignoreOf(isOwn: boolean): (error: unknown) => void {
  return error => {
    if (isOwn || !mayBeOfOneItem(error)) throw error;
  };
}

async function join(sql: Sql, alert: AlertRow, rows: readonly RouteRow[], atMs: number, nowMs: number): Promise<void> {
  const { id, project_id: projectId, monitor_id: monitorId } = alert;
  const target = await findTarget(sql, monitorId);
  const subject = { id: monitorId, name: target?.name ?? '', kind: target?.kind ?? 'http', labels: alert.labels };
  const routes = routesOf(rows.map(viewRoute), { ...subject, severity: alert.severity, alertKind: alert.kind });
  if (routes.length === 0) return;
  const listSeen = alert.kind === 'certificate' ? listCertificates : listFailures;
  const failures = await listSeen(sql, monitorId, alert.regions_failing, alert.started_at - hourMs);
  const facts = { kind: alert.kind, regionsFailing: alert.regions_failing, regions: alert.regions };
  const keys = keysOf(facts, target?.url ?? '', failures);
  const { join_seconds: joinSeconds } = await findGrouping(sql, projectId);
  const superseded = await findSuperseded(sql, projectId, id);
  const candidates = superseded === null ? await listCandidates(sql, projectId, keys, atMs - joinSeconds * 1000) : [];
  const chosen = chooseGroup(keys, candidates);
  const groupId = superseded ?? chosen?.id ?? (await insertGroup(sql, projectId, keys, atMs, nowMs));
  await noteJoin(sql, groupId, chosen === null ? null : { key: chosen.key, cause: causeOf(chosen.key) }, atMs);
  const number = await countEvent(sql, groupId, nowMs);
  const routeIds = routes.map(route => route.id);
  await insertMember(sql, {
    alertId: id,
    groupId,
    projectId,
    routeIds,
    severity: alert.severity,
    notifiedAt: atMs,
    number,
  });
  // Facts may come in another order, and a suppressed alert may have been acknowledged before anybody was notified.
  if (alert.acknowledged_at !== null)
    await markAcknowledged(sql, id, alert.acknowledged_by, number, alert.acknowledged_at);
  if (alert.state === 'resolved') await markResolved(sql, id, number, alert.resolved_at ?? nowMs);
}

async function noteChange(sql: Sql, projectId: string, fact: StoredFact, nowMs: number): Promise<void> {
  const groupId = await findGroupOf(sql, projectId, fact.subject);
  const alert = groupId === null ? null : await findAlert(sql, projectId, fact.subject);
  if (groupId === null || alert === null) return;
  const number = await countEvent(sql, groupId, nowMs);
  switch (fact.kind) {
    case 'alert.acknowledged':
      return markAcknowledged(sql, alert.id, alert.acknowledged_by, number, alert.acknowledged_at ?? fact.at);
    case 'alert.resolved':
      // If it is open again, the fact that says so may have come before this one.
      return alert.state === 'resolved' ? markResolved(sql, alert.id, number, fact.at) : undefined;
    case 'alert.updated': {
      const reopened = fact.payload.change === 'reopened' && alert.state !== 'resolved';
      if (reopened) await noteJoin(sql, groupId, null, fact.at);
      return markUpdated(sql, alert.id, { severity: alert.severity, reopened }, number);
    }
    default:
  }
}
