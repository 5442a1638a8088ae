import type { Clock } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { findRetentions } from '../analytics/events/erase-store.ts';
import { deliveryRetention } from '../delivery/retention.ts';
import { monitoringRetention } from '../monitoring/retention.ts';
import { onCallRetention } from '../on-call/retention.ts';
import { operationsRetention } from '../operations/retention.ts';
import type { Pools } from '../platform/db/pool.ts';
import type { Edition } from '../platform/db/series/edition.ts';
import type { SeriesStore } from '../platform/db/series/series.ts';
import { type SeriesForecast, storageForecast } from '../platform/db/series/storage-forecast.ts';
import { type Sql, sqlOf } from '../platform/db/sql.ts';
import { attemptApart } from '../platform/failures/by-item.ts';
import { platformRetention } from '../platform/retention.ts';
import type { Retention } from '../platform/timers/retention.ts';
import { publishingRetention } from '../publishing/retention.ts';
import { webRetention } from '../web/retention.ts';

export type HousekeepingServices = { pools: Pools; series: SeriesStore; clock: Clock; log: Logger };

const rawRetentionDays = 30;

/** Everything that is deleted by age. */
function retentionsOf({ pools, series, log }: HousekeepingServices, auditDays: number): readonly Retention[] {
  const dropRaw = async (name: string, beforeMs: number) => {
    const dropped = await series.dropBefore(name, beforeMs);
    if (dropped.length > 0) log.info({ dropped }, 'raw results past their retention were dropped');
  };
  const keepMs = rawRetentionDays * dayMs;
  return [
    { name: 'next partitions', keepMs: 0, run: (_, nowMs) => series.ensureAhead(nowMs) },
    { name: 'check_results', keepMs, run: (_, beforeMs) => dropRaw('check_results', beforeMs) },
    { name: 'check_shapes', keepMs, run: (_, beforeMs) => dropRaw('check_shapes', beforeMs) },
    ...platformRetention(auditDays),
    ...monitoringRetention(pools.background),
    ...publishingRetention,
    ...deliveryRetention,
    ...onCallRetention,
    ...webRetention,
    ...operationsRetention,
  ];
}

/**
 * Makes the next partitions and deletes what is past its retention, which is `auditDays` for the audit. What cannot be
 * deleted keeps nothing else from being deleted.
 */
export async function cleanUp(services: HousekeepingServices, auditDays: number): Promise<void> {
  const { background } = services.pools;
  const nowMs = services.clock.now();
  for (const { name, keepMs, run } of retentionsOf(services, auditDays)) {
    const item = { work: 'retention', id: name, projectId: null, nowMs } as const;
    await attemptApart(background, item, () => run(sqlOf(background), nowMs - keepMs));
  }
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
