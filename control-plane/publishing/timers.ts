import type { WorkerServices } from '../platform/services.ts';
import { draining, type Timer } from '../platform/timers/timers.ts';
import { createLookUp } from './status-pages/domains/look-up.ts';
import { watchDomains } from './status-pages/domains/watch.ts';
import { isAnyPageDue } from './status-pages/publish/publication-store.ts';
import { Publisher } from './status-pages/publish/publisher.ts';
import { watchImports } from './subscribers/watch-imports.ts';

/** What a worker does by time for pages and their subscribers. */
export function publishingTimers(services: WorkerServices): Timer[] {
  const { pools, baseUrl, canMail, clock, log, metrics, opening, dnsServers } = services;
  const { background: pool, connectionString } = pools;
  const publisher = opening.use(new Publisher({ pool, connectionString, baseUrl, canMail, log }));
  const lookUp = createLookUp(dnsServers, baseUrl);
  const publish = async () => Number(await publisher.publishDue(clock.now()));
  return [
    { name: 'publishing', everyMs: 250, due: isAnyPageDue, run: draining(metrics.commits, 'pages', publish) },
    { name: 'page-domains', everyMs: 5000, run: () => watchDomains(pool, lookUp, () => clock.now()) },
    {
      name: 'imports',
      everyMs: 10_000,
      leaseMs: 30_000,
      run: () => watchImports(pool, clock.now(), log),
    },
  ];
}
