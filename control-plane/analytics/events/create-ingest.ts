import { sqlOf } from '../../platform/db/sql.ts';
import { authenticate } from '../../platform/projects/authenticate.ts';
import { Absence } from '../../platform/resilience/absence.ts';
import { remembered } from '../../platform/resilience/remembered.ts';
import { sharedLookup } from '../../platform/resilience/shared-lookup.ts';
import type { ApiServices } from '../../platform/services.ts';
import { createBodyBudgets, type IngestServices } from './ingest.ts';
import { createLimiter } from './limiter.ts';
import { LocalLimiter } from './local-limiter.ts';
import { findIngestProject } from './store.ts';
import type { IngestTallies } from './tally.ts';
import type { EventWriter } from './writer.ts';

type IngestParts = Pick<ApiServices, 'pools' | 'keyring' | 'clock' | 'metrics' | 'bulkheads' | 'callerKey'> & {
  eventWriter: EventWriter;
  tallies: IngestTallies;
  outlivesDatabase: boolean;
};

/** What ingestion works with. Without `outlivesDatabase` it needs the database for each batch. */
export function createIngest(services: IngestParts): IngestServices {
  const { pools, keyring, clock, metrics, bulkheads, callerKey, eventWriter, tallies, outlivesDatabase } = services;
  const sql = sqlOf(pools.front);
  const lookups = {
    authenticate: sharedLookup((header: string) => authenticate(sql, header, clock.now())),
    findProject: sharedLookup((id: string) => findIngestProject(sql, id)),
  };
  // Events are kept also while the database is away: then those are let in who were known before.
  const absence = new Absence();
  return {
    authenticate: outlivesDatabase ? remembered(absence, lookups.authenticate) : lookups.authenticate,
    findProject: outlivesDatabase ? remembered(absence, lookups.findProject) : lookups.findProject,
    limiter: createLimiter(sql, clock, outlivesDatabase ? { absence, local: new LocalLimiter() } : null),
    bodyLimiter: new LocalLimiter(),
    writer: eventWriter,
    pool: pools.api,
    bulkheads: bulkheads.api,
    metrics,
    tallies,
    keyring,
    clock,
    budgets: createBodyBudgets(),
    callerKey,
  };
}
