import type { WorkerServices } from '../platform/services.ts';
import { draining, type Timer } from '../platform/timers/timers.ts';
import { Publisher } from './status-pages/publish/publisher.ts';
import { watchImports } from './subscribers/watch-imports.ts';

/** What a worker does by time for pages and their subscribers. */
export function publishingTimers({ pools, baseUrl, canMail, clock, log, metrics, opening }: WorkerServices): Timer[] {
  const { background: pool, connectionString } = pools;
  const publisher = opening.use(new Publisher({ pool, connectionString, baseUrl, canMail, log }));
  const publish = async () => Number(await publisher.publishDue(clock.now()));
  return [
    { name: 'publishing', everyMs: 250, run: draining(metrics.commits, 'pages', publish) },
    {
      name: 'imports',
      everyMs: 10_000,
      leaseMs: 30_000,
      run: () => watchImports(pool, clock.now(), log),
    },
  ];
}
