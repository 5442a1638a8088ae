import { secondMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { version } from '../../../platform/http/version.ts';
import { markupVersion } from '../../../platform/markup/rendered-text.ts';
import { type IncidentSource, saveDocument } from './document-store.ts';
import { incidentDocument } from './documents.ts';
import { readIncidents } from './incident-read-store.ts';
import type { PageModel } from './page-model.ts';
import type { Texts } from './texts.ts';

/** A page is rendered at least this often: its bars grow, and it states its own age. */
export const refreshMs = 300 * secondMs;
/** Incidents read at once: each may have half a megabyte of text, and four times as much HTML. */
const batchMax = 10;
const budgetMs = secondMs;

export type Rendering = {
  page: { id: string; projectId: string };
  model: PageModel;
  texts: Texts;
  nowMs: number;
};

/**
 * Renders the pages of incidents that changed. False if some are left after a second: the page is due again at once,
 * and others have their turn first.
 */
export async function publishIncidents(
  sql: Sql,
  { page, model, texts, nowMs }: Rendering,
  sources: readonly IncidentSource[],
): Promise<boolean> {
  const base = baseSourceOf(model);
  const stale = sources
    .map(entry => ({
      ...entry,
      source: `${base} ${entry.source} ${entry.open ? Math.floor(nowMs / refreshMs) : ''}`,
    }))
    .filter(entry => entry.source !== entry.published);
  const deadline = performance.now() + budgetMs;
  for (let start = 0; start < stale.length; start += batchMax) {
    if (start > 0 && performance.now() > deadline) return false;
    const batch = new Map(stale.slice(start, start + batchMax).map(entry => [entry.incident_id, entry.source]));
    const incidents = await readIncidents(sql, [...batch.keys()], texts);
    // With unformatted texts they would not count as stale any more.
    if (texts.isExhausted) return false;
    for (const incident of incidents)
      await saveDocument(sql, page, incidentDocument(model, incident, batch.get(incident.id) ?? ''), nowMs);
  }
  return true;
}

/** What documents depend on besides their rows: their address and the versions of templates and Markdown. */
export function baseSourceOf(model: PageModel): string {
  return `${version} ${markupVersion} ${model.url} ${model.canMail}`;
}
