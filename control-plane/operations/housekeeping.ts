import { minuteMs } from '#shared/duration.ts';
import { findRetentions } from '../analytics/events/erase-store.ts';
import { rawDays } from '../monitoring/checks/storage/insert-store.ts';
import type { Edition } from '../platform/db/series/edition.ts';
import { type SeriesForecast, storageForecast } from '../platform/db/series/storage-forecast.ts';
import { type Sql, sqlOf } from '../platform/db/sql.ts';
import { attemptApart } from '../platform/failures/by-item.ts';
import type { WorkerServices } from '../platform/services.ts';
import type { Retention } from '../platform/timers/retention.ts';
import type { Timer } from '../platform/timers/timers.ts';

/** Deletes what every wing says is past its retention, and watches and compresses what grows. */
export function housekeepingTimers(services: WorkerServices, retentions: readonly Retention[]): Timer[] {
  const restMs = 10 * minuteMs;
  return [
    { name: 'housekeeping', everyMs: 60_000, leaseMs: 120_000, run: () => cleanUp(services, retentions) },
    { name: 'storage-forecast', everyMs: 60_000, restMs, run: () => measureStorage(services) },
    {
      name: 'compression',
      everyMs: 60_000,
      restMs,
      leaseMs: 10 * minuteMs,
      run: signal => compressClosed(services, signal),
    },
  ];
}

/** What cannot be deleted keeps nothing else from being deleted. */
export async function cleanUp(
  { pools, clock }: Pick<WorkerServices, 'pools' | 'clock'>,
  retentions: readonly Retention[],
): Promise<void> {
  const nowMs = clock.now();
  for (const { name, keepMs, run } of retentions) {
    const item = { work: 'retention', id: name, projectId: null, nowMs } as const;
    await attemptApart(pools.background, item, () => run(sqlOf(pools.background), nowMs - keepMs));
  }
}

async function measureStorage({ pools, edition, clock, metrics }: WorkerServices): Promise<void> {
  for (const { name, bytes, forecastBytes } of await forecastStorage(sqlOf(pools.background), edition, clock.now())) {
    metrics.seriesBytes.set({ series: name }, bytes);
    if (forecastBytes !== null) metrics.seriesForecast.set({ series: name }, forecastBytes);
  }
}

/** What the tables that grow take now and will take. */
export async function forecastStorage(sql: Sql, edition: Edition, nowMs: number): Promise<SeriesForecast[]> {
  const events = await findRetentions(sql);
  const daysKept = {
    check_results: rawDays,
    check_shapes: rawDays,
    ...(events === null ? {} : { events: events.longest }),
  };
  return storageForecast(sql, { edition, daysKept, nowMs });
}

/** Compresses what is closed, where the storage edition can. */
async function compressClosed({ series, clock, log }: WorkerServices, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const compressed = await series.compress(clock.now(), signal);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  if (compressed.length > 0) log.info({ compressed, seconds }, 'closed spans were compressed');
}
