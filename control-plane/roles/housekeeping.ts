import type { Clock } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { findRetentions } from '../analytics/events/erase-store.ts';
import {
  deleteIngestLeftovers,
  deleteOfShorterPlans,
  dropExpiredEvents,
  unrolledPatienceMs,
} from '../analytics/events/retention.ts';
import { findOldestPendingOfAll } from '../analytics/flows/roll-up/queue-store.ts';
import { deleteRefusalsBefore } from '../delivery/notifications/email/relay-store.ts';
import { deleteOrphanedQueues } from '../delivery/notifications/settle-store.ts';
import { deleteSlackThreadsBefore } from '../delivery/notifications/slack/store.ts';
import { deleteDeliveriesEndedBefore } from '../delivery/notifications/store.ts';
import { deletePreviousSecretsBefore } from '../delivery/notifications/webhooks/store.ts';
import { purgeAgents } from '../monitoring/agents/revoked-store.ts';
import { advanceTotals } from '../monitoring/checks/roll-up/total-store.ts';
import { purgeMonitors } from '../monitoring/checks/storage/purge-monitors.ts';
import { purgeComponents } from '../monitoring/components/deleted-store.ts';
import { purgeMaintenances } from '../monitoring/maintenances/deleted-store.ts';
import { deleteRunsBefore } from '../monitoring/monitors/bulk/store.ts';
import { revivalDays } from '../monitoring/monitors/monitor.ts';
import { deleteRulesBefore, deleteVersionsBefore } from '../monitoring/monitors/versions/store.ts';
import { deleteNoticesClosedBefore } from '../monitoring/notices/store.ts';
import { deleteProbesBefore } from '../monitoring/probes/store.ts';
import { deleteGroupsEndedBefore } from '../on-call/alert-groups/store.ts';
import { deleteThreadsBefore } from '../on-call/channels/thread-store.ts';
import { deleteParkedBefore } from '../operations/intake/parked-store.ts';
import type { Pools } from '../platform/db/pool.ts';
import type { Edition } from '../platform/db/series/edition.ts';
import type { SeriesStore } from '../platform/db/series/series.ts';
import { type SeriesForecast, storageForecast } from '../platform/db/series/storage-forecast.ts';
import { type Sql, sqlOf } from '../platform/db/sql.ts';
import { deleteFactsDoneBefore } from '../platform/facts/store.ts';
import { attemptApart, transactionByItem } from '../platform/failures/by-item.ts';
import { deleteFailures } from '../platform/failures/store.ts';
import { deleteAnswersBefore } from '../platform/http/endpoint/idempotency.ts';
import { deleteIdleBuckets } from '../platform/http/limits/rate-limit.ts';
import { deleteAuditBefore } from '../platform/projects/audit-store.ts';
import { purgeTokens } from '../platform/projects/ended-token-store.ts';
import { purgeIncidents } from '../publishing/incidents/deleted-store.ts';
import { purgeStatusPages } from '../publishing/status-pages/deleted-store.ts';
import { releaseSlugs } from '../publishing/status-pages/slug-store.ts';
import { deleteConfirmationsBefore } from '../publishing/subscribers/confirmation-store.ts';
import { deleteUnconfirmed } from '../publishing/subscribers/store.ts';
import { deleteEndedBefore } from '../web/dashboard/ended-session-store.ts';

export type HousekeepingServices = { pools: Pools; series: SeriesStore; clock: Clock; log: Logger };

const rawRetentionDays = 30;
const rawRetentionMs = rawRetentionDays * dayMs;
const factRetentionMs = 7 * dayMs;
const versionRetentionMs = 31 * dayMs;
const deliveryRetentionMs = 90 * dayMs;
const noticeRetentionMs = 90 * dayMs;
const confirmationRetentionMs = 365 * dayMs;
/** Longer than a delivery is retried. */
const refusalRetentionMs = 3 * dayMs;
const unconfirmedRetentionMs = 7 * dayMs;
/** An agent that repeats what cannot be stored must not fill the disk. */
const parkedRetentionMs = 90 * dayMs;
const parkedMax = 10_000;
const deletedRetentionMs = 30 * dayMs;

/** Something that is past its retention, and how it goes. */
type Retention = { name: string; run(sql: Sql, nowMs: number): Promise<unknown> };

/** `auditDays`: how long entries of the audit stay. */
function retentionsOf({ pools, series, log }: HousekeepingServices, auditDays: number): readonly Retention[] {
  const dropRaw = async (name: string, nowMs: number) => {
    const dropped = await series.dropBefore(name, nowMs - rawRetentionMs);
    if (dropped.length > 0) log.info({ dropped }, 'raw results past their retention were dropped');
  };
  return [
    { name: 'next partitions', run: (_, now) => series.ensureAhead(now) },
    { name: 'check_results', run: (_, now) => dropRaw('check_results', now) },
    { name: 'check_shapes', run: (_, now) => dropRaw('check_shapes', now) },
    { name: 'idempotency_keys', run: deleteAnswersBefore },
    { name: 'bulk_runs', run: (sql, now) => deleteRunsBefore(sql, now - dayMs) },
    { name: 'facts', run: (sql, now) => deleteFactsDoneBefore(sql, now - factRetentionMs) },
    { name: 'monitor_versions', run: (sql, now) => deleteVersionsBefore(sql, now - versionRetentionMs) },
    { name: 'rules_versions', run: (sql, now) => deleteRulesBefore(sql, now - versionRetentionMs) },
    { name: 'intake_parked', run: (sql, now) => deleteParkedBefore(sql, now - parkedRetentionMs, parkedMax) },
    { name: 'rate_buckets', run: sql => deleteIdleBuckets(sql) },
    { name: 'probes', run: deleteProbesBefore },
    { name: 'deliveries', run: (sql, now) => deleteDeliveriesEndedBefore(sql, now - deliveryRetentionMs) },
    { name: 'channel_threads', run: (sql, now) => deleteThreadsBefore(sql, now - deliveryRetentionMs) },
    { name: 'slack_threads', run: (sql, now) => deleteSlackThreadsBefore(sql, now - deliveryRetentionMs) },
    { name: 'alert_groups', run: (sql, now) => deleteGroupsEndedBefore(sql, now - deliveryRetentionMs) },
    { name: 'notices', run: (sql, now) => deleteNoticesClosedBefore(sql, now - noticeRetentionMs) },
    { name: 'ended_sessions', run: deleteEndedBefore },
    { name: 'audit', run: (sql, now) => deleteAuditBefore(sql, now - auditDays * dayMs) },
    { name: 'previous webhook secrets', run: deletePreviousSecretsBefore },
    { name: 'delivery_queues', run: sql => deleteOrphanedQueues(sql) },
    { name: 'unconfirmed subscribers', run: (sql, now) => deleteUnconfirmed(sql, now - unconfirmedRetentionMs) },
    { name: 'status_page_slugs', run: releaseSlugs },
    { name: 'email_refusals', run: (sql, now) => deleteRefusalsBefore(sql, now - refusalRetentionMs) },
    { name: 'confirmations', run: (sql, now) => deleteConfirmationsBefore(sql, now - confirmationRetentionMs) },
    { name: 'deleted monitors', run: (_, now) => purgeMonitors(pools.background, now - revivalDays * dayMs, now) },
    { name: 'deleted incidents', run: (sql, now) => purgeIncidents(sql, now - deletedRetentionMs) },
    { name: 'deleted maintenances', run: (sql, now) => purgeMaintenances(sql, now - deletedRetentionMs) },
    { name: 'deleted components', run: (sql, now) => purgeComponents(sql, now - deletedRetentionMs) },
    { name: 'deleted status pages', run: (sql, now) => purgeStatusPages(sql, now - deletedRetentionMs) },
    { name: 'revoked tokens', run: (sql, now) => purgeTokens(sql, now - deletedRetentionMs) },
    { name: 'revoked agents', run: (sql, now) => purgeAgents(sql, now - deletedRetentionMs) },
    { name: 'work_failures', run: deleteFailures },
  ];
}

/**
 * Makes the next partitions and deletes what is past its retention, which is `auditDays` for the audit. What cannot be
 * deleted keeps nothing else from being deleted.
 */
export async function cleanUp(services: HousekeepingServices, auditDays: number): Promise<void> {
  const { background } = services.pools;
  const nowMs = services.clock.now();
  for (const { name, run } of retentionsOf(services, auditDays)) {
    const item = { work: 'retention', id: name, projectId: null, nowMs } as const;
    await attemptApart(background, item, () => run(sqlOf(background), nowMs));
  }
}

/** Sums up the checks of some monitors' closed days, and returns of how many. */
export function sumClosedDays({ pools, clock }: HousekeepingServices): Promise<number> {
  return transactionByItem(pools.background, sql => advanceTotals(sql, clock.now()));
}

/** What the tables that grow take now and will take. */
export async function forecastStorage(sql: Sql, edition: Edition, nowMs: number): Promise<SeriesForecast[]> {
  const events = await findRetentions(sql);
  const daysKept = {
    check_results: rawRetentionDays,
    check_shapes: rawRetentionDays,
    ...(events === null ? {} : { events: events.longest }),
  };
  return storageForecast(sql, { edition, daysKept, nowMs });
}

/** Compresses what is closed, where the storage edition can. */
export async function compressClosed({ series, clock, log }: HousekeepingServices, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const compressed = await series.compress(clock.now(), signal);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  if (compressed.length > 0) log.info({ compressed, seconds }, 'closed spans were compressed');
}

/** Drops partitions of events that every plan has outlived, once they are rolled up. */
export async function dropExpired({ pools, series, clock, log }: HousekeepingServices): Promise<void> {
  const sql = sqlOf(pools.background);
  const unrolledMs = await findOldestPendingOfAll(sql);
  const dropped = await dropExpiredEvents(sql, series, clock.now(), unrolledMs);
  if (dropped.length > 0) log.info({ dropped }, 'raw events past their retention were dropped');
  await deleteIngestLeftovers(sql, clock.now());
}

/** Deletes the events of projects whose plan keeps them for less time than the partitions live. */
export async function deleteByPlanRetention({ pools, clock, log }: HousekeepingServices): Promise<void> {
  const sql = sqlOf(pools.background);
  const unrolledMs = await findOldestPendingOfAll(sql);
  if (unrolledMs !== null && unrolledMs < clock.now() - unrolledPatienceMs)
    log.error(
      { since: new Date(unrolledMs).toISOString() },
      'events have not been rolled up for a week: they will be deleted a week after their retention, counted or not',
    );
  const deleted = await deleteOfShorterPlans(sql, clock.now(), unrolledMs);
  if (deleted > 0) log.info({ deleted }, 'raw events past the retention of their plan were deleted');
}
