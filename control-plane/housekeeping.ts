import type { Clock } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { deleteGroupsEndedBefore } from './alert-groups/store.ts';
import { deleteThreadsBefore } from './channels/thread-store.ts';
import { deleteResultsOf } from './checks/store.ts';
import { advanceTotals } from './checks/total-store.ts';
import { deleteEndedBefore } from './dashboard/ended-session-store.ts';
import type { Edition } from './db/edition.ts';
import type { Pools } from './db/pool.ts';
import type { SeriesStore } from './db/series.ts';
import { type Sql, sqlOf } from './db/sql.ts';
import { type SeriesForecast, storageForecast } from './db/storage-forecast.ts';
import { transaction } from './db/transaction.ts';
import { findRetentions } from './events/erase-store.ts';
import {
  deleteIngestLeftovers,
  deleteOfShorterPlans,
  dropExpiredEvents,
  unrolledPatienceMs,
} from './events/retention.ts';
import { deleteFactsDoneBefore } from './facts/store.ts';
import { findOldestPendingOfAll } from './flows/roll-up/queue-store.ts';
import { deleteAnswersBefore } from './http/idempotency.ts';
import { deleteIdleBuckets } from './http/rate-limit.ts';
import { deleteParkedBefore } from './intake/parked-store.ts';
import { deleteRunsBefore } from './monitors/bulk-store.ts';
import { deleteMonitors, listExpired } from './monitors/deleted-store.ts';
import { revivalDays } from './monitors/monitor.ts';
import { deleteRulesBefore, deleteVersionsBefore } from './monitors/version-store.ts';
import { deleteNoticesClosedBefore } from './notices/store.ts';
import { deleteRefusalsBefore } from './notifications/email/relay-store.ts';
import { deleteOrphanedQueues } from './notifications/settle-store.ts';
import { deleteDeliveriesEndedBefore } from './notifications/store.ts';
import { deletePreviousSecretsBefore } from './notifications/webhooks/store.ts';
import { deleteProbesBefore } from './probes/store.ts';
import { deleteAuditBefore } from './projects/audit-store.ts';
import { releaseSlugs } from './status-pages/slug-store.ts';
import { deleteConfirmationsBefore } from './subscribers/confirmation-store.ts';
import { deleteUnconfirmed } from './subscribers/store.ts';

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
const expiredMonitorsPerRun = 100;

/** Makes the next partitions and deletes what is past its retention, which is `auditDays` for the audit. */
export async function cleanUp({ pools, series, clock, log }: HousekeepingServices, auditDays: number): Promise<void> {
  const sql = sqlOf(pools.background);
  const nowMs = clock.now();
  await series.ensureAhead(nowMs);
  const dropped = await series.dropBefore('check_results', nowMs - rawRetentionMs);
  dropped.push(...(await series.dropBefore('check_shapes', nowMs - rawRetentionMs)));
  if (dropped.length > 0) log.info({ dropped }, 'raw results past their retention were dropped');
  await deleteAnswersBefore(sql, nowMs);
  await deleteRunsBefore(sql, nowMs - dayMs);
  await deleteFactsDoneBefore(sql, nowMs - factRetentionMs);
  await deleteVersionsBefore(sql, nowMs - versionRetentionMs);
  await deleteRulesBefore(sql, nowMs - versionRetentionMs);
  await deleteParkedBefore(sql, nowMs - parkedRetentionMs, parkedMax);
  await deleteIdleBuckets(sql);
  await deleteProbesBefore(sql, nowMs);
  await deleteDeliveriesEndedBefore(sql, nowMs - deliveryRetentionMs);
  await deleteThreadsBefore(sql, nowMs - deliveryRetentionMs);
  await deleteGroupsEndedBefore(sql, nowMs - deliveryRetentionMs);
  await deleteNoticesClosedBefore(sql, nowMs - noticeRetentionMs);
  await deleteEndedBefore(sql, nowMs);
  await deleteAuditBefore(sql, nowMs - auditDays * dayMs);
  await deletePreviousSecretsBefore(sql, nowMs);
  await deleteOrphanedQueues(sql);
  await deleteUnconfirmed(sql, nowMs - unconfirmedRetentionMs);
  await releaseSlugs(sql, nowMs);
  await deleteRefusalsBefore(sql, nowMs - refusalRetentionMs);
  await deleteConfirmationsBefore(sql, nowMs - confirmationRetentionMs);
  await transaction(pools.background, async tx => {
    const expired = await listExpired(tx, nowMs - revivalDays * dayMs, expiredMonitorsPerRun);
    if (expired.length === 0) return;
    await deleteResultsOf(tx, expired);
    await deleteMonitors(tx, expired);
  });
}

/** Sums up the checks of some monitors' closed days, and returns of how many. */
export function sumClosedDays({ pools, clock }: HousekeepingServices): Promise<number> {
  return transaction(pools.background, sql => advanceTotals(sql, clock.now()));
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
