import { createHash } from 'node:crypto';
import type { Sql } from '../../../platform/db/sql.ts';
import { documentPath } from '../serve/document-names.ts';
import { listHistorySources, saveDocument } from './document-store.ts';
import { maintenanceDocument } from './documents.ts';
import { baseSourceOf, type Rendering } from './incidents.ts';
import type { PageMaintenance } from './page-model.ts';

/** Renders the pages of windows that changed: of those that the page shows, and of those in its feeds. */
export async function publishMaintenances(
  sql: Sql,
  { page, model, texts, nowMs }: Rendering,
  inFeeds: readonly PageMaintenance[],
): Promise<void> {
  const all = new Map([...inFeeds, ...(model.maintenances ?? [])].map(shown => [shown.id, shown]));
  if (all.size === 0) return;
  const published = await listHistorySources(sql, page.id);
  for (const maintenance of all.values()) {
    const parts = [baseSourceOf(model), { ...model.page, historyDays: 0 }, maintenance];
    const source = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
    if (published.get(documentPath(model.page, `maintenances/${maintenance.id}`)) === source) continue;
    // With unformatted texts it would not count as stale any more.
    const document = maintenanceDocument(model, maintenance, texts.isExhausted ? '' : source);
    await saveDocument(sql, page, document, nowMs);
  }
}
