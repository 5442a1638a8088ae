import { sqlOf } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { CircuitBreaker } from '../../platform/resilience/circuit-breaker.ts';
import { singleFlight } from '../../platform/resilience/single-flight.ts';
import { staleIfError } from '../../platform/resilience/stale-if-error.ts';
import type { ApiServices } from '../../platform/services.ts';
import { createActorMemory } from './actor.ts';
import { createBodyBudgets } from './body-limits.ts';
import type { IngestServices } from './ingest.ts';
import { createLimiter } from './limiter.ts';
import { LocalLimiter } from './local-limiter.ts';
import { findIngestProject } from './store.ts';
import type { IngestTallies } from './tally.ts';
import type { EventWriter } from './writer.ts';

type IngestParts = Pick<ApiServices, 'pools' | 'keyring' | 'clock' | 'metrics' | 'bulkheads' | 'callerKey'> & {
  eventWriter: EventWriter;
  tallies: IngestTallies;
  outlivesDatabase: boolean;
  authenticate(header: string): Promise<Caller>;
};

/** What ingestion works with. Without `outlivesDatabase` it needs the database for each batch. */
export function createIngest(services: IngestParts): IngestServices {
  const { pools, keyring, clock, metrics, bulkheads, callerKey, eventWriter, tallies, outlivesDatabase } = services;
  const sql = sqlOf(pools.front);
  const lookups = {
    authenticate: singleFlight((header: string) => services.authenticate(header)),
    findProject: singleFlight((id: string) => findIngestProject(sql, id)),
  };
  // Events are kept also while the database is away: then those are let in who were known before.
  const breaker = new CircuitBreaker();
  return {
    authenticate: outlivesDatabase ? staleIfError(breaker, lookups.authenticate) : lookups.authenticate,
    findProject: outlivesDatabase ? staleIfError(breaker, lookups.findProject) : lookups.findProject,
    limiter: createLimiter(sql, clock, outlivesDatabase ? { breaker, local: new LocalLimiter() } : null),
    bodyLimiter: new LocalLimiter(),
    writer: eventWriter,
    pool: pools.api,
    bulkheads: bulkheads.api,
    metrics,
    tallies,
    keyring,
    clock,
    actorOf: createActorMemory(),
    budgets: createBodyBudgets(),
    callerKey,
  };
}
