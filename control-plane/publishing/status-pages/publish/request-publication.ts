import type { Sql } from '../../../platform/db/sql.ts';
import type { StoredFact } from '../../../platform/facts/fact.ts';
import { listPagesOfMaintenance, listPagesOfMonitor, requestPublication } from './publication-store.ts';

/** Makes the pages due that show what the fact is about. */
export async function requestPublications(sql: Sql, fact: StoredFact, nowMs: number): Promise<void> {
  switch (fact.kind) {
    case 'monitor.flipped':
      return requestPublication(sql, await listPagesOfMonitor(sql, fact.subject), nowMs);
    case 'component.changed':
    case 'incident.opened':
    case 'incident.updated':
    case 'incident.changed':
    case 'incident.resolved':
    case 'incident.deleted':
      return requestPublication(sql, [fact.payload.status_page_id], nowMs);
    case 'maintenance.scheduled':
    case 'maintenance.changed':
    case 'maintenance.started':
    case 'maintenance.ended':
    case 'maintenance.cancelled':
      return requestPublication(sql, await listPagesOfMaintenance(sql, fact.subject), nowMs);
    case 'maintenance.updated':
      return requestPublication(sql, await listPagesOfMaintenance(sql, fact.payload.maintenance_id), nowMs);
    default:
  }
}
