import { createHash } from 'node:crypto';
import type { Sql } from '../../../platform/db/sql.ts';
import { documentPath } from '../serve/document-names.ts';
import { type IncidentSource, listHistorySources, saveDocument } from './document-store.ts';
import { historyDocument } from './documents.ts';
import { historyPages, historyPath } from './history-pages.ts';
import { readPastIncidents } from './incident-read-store.ts';
import { baseSourceOf, type Rendering } from './incidents.ts';

/** Renders the pages of the history that changed; returns the paths of all of them. */
export async function publishHistory(
  sql: Sql,
  { page, model, texts, nowMs }: Rendering,
  sources: readonly IncidentSource[],
): Promise<string[]> {
  const published = await listHistorySources(sql, page.id);
  const paths: string[] = [];
  for (const { position, entries } of historyPages(sources)) {
    const path = documentPath(model.page, historyPath(position.number).slice(1));
    paths.push(path);
    const source = sourceOf([
      position,
      baseSourceOf(model),
      { ...model.page, historyDays: 0 },
      entries.map(entry => [entry.incident_id, entry.source]),
    ]);
    if (published.get(path) === source) continue;
    const ids = entries.map(entry => entry.incident_id);
    const incidents = await readPastIncidents(sql, ids, texts);
    const document = historyDocument(model, incidents, position, texts.isExhausted ? '' : source);
    await saveDocument(sql, page, document, nowMs);
  }
  return paths;
}

function sourceOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
