import { minuteMs } from '#shared/duration.ts';
import { analyticsTimers } from '../analytics/timers.ts';
import { deliveryTimers } from '../delivery/timers.ts';
import { monitoringTimers } from '../monitoring/timers.ts';
import { onCallTimers } from '../on-call/timers.ts';
import { watchBacklog, watchSending } from '../operations/backlog.ts';
import type { Edition } from '../platform/db/series/edition.ts';
import type { SeriesStore } from '../platform/db/series/series.ts';
import { sqlOf } from '../platform/db/sql.ts';
import { dispatchFacts, type FactHandler } from '../platform/facts/dispatch.ts';
import type { Services } from '../platform/services.ts';
import { draining, type Timer } from '../platform/timers/timers.ts';
import type { Publisher } from '../publishing/status-pages/publish/publisher.ts';
import type { PublishedPages } from '../publishing/status-pages/serve/published-pages.ts';
import { publishingTimers } from '../publishing/timers.ts';
import { cleanUp, compressClosed, forecastStorage } from './housekeeping.ts';

// What fronts and workers do by time; a gateway's timers are those of monitoring. Timers with a lease run on one
// process, the others on each.

export type WorkerTimerServices = Services & {
  series: SeriesStore;
  edition: Edition;
  onFact: FactHandler;
  publisher: Publisher;
  auditDays: number;
};

export function frontTimers(pages: PublishedPages, storeTallies: () => Promise<void>): Timer[] {
  return [
    { name: 'pages', everyMs: 5000, run: () => pages.sync() },
    { name: 'ingest-tallies', everyMs: 2000, run: storeTallies },
  ];
}

export function workerTimers(services: WorkerTimerServices): Timer[] {
  const { pools, onFact, edition, clock, metrics } = services;
  const { commits } = metrics;
  commits.expect('facts', 'alert_groups', 'pages', 'funnels');
  const pool = pools.background;
  return [
    {
      name: 'facts',
      everyMs: 250,
      run: signal => {
        const options = { signal, committed: () => commits.mark('facts') };
        return draining(commits, 'facts', () => dispatchFacts(pool, onFact, clock, options))(signal);
      },
    },
    ...onCallTimers(services),
    ...publishingTimers(services),
    ...analyticsTimers(services),
    ...monitoringTimers(services),
    ...deliveryTimers(services),
    { name: 'backlog', everyMs: 10_000, run: () => watchBacklog(services) },
    { name: 'sending', everyMs: minuteMs, run: () => watchSending(services) },
    { name: 'housekeeping', everyMs: 60_000, leaseMs: 120_000, run: () => cleanUp(services, services.auditDays) },
    {
      name: 'storage-forecast',
      everyMs: 60_000,
      restMs: 10 * minuteMs,
      run: async () => {
        for (const { name, bytes, forecastBytes } of await forecastStorage(sqlOf(pool), edition, clock.now())) {
          metrics.seriesBytes.set({ series: name }, bytes);
          if (forecastBytes !== null) metrics.seriesForecast.set({ series: name }, forecastBytes);
        }
      },
    },
    {
      name: 'compression',
      everyMs: 60_000,
      restMs: 10 * minuteMs,
      leaseMs: 10 * minuteMs,
      run: signal => compressClosed(services, signal),
    },
  ];
}
