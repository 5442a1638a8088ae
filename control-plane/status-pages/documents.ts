import { gzipSync } from 'node:zlib';
import { etagOf } from './page-files.ts';
import type { FeedEntry, PageIncident, PageModel } from './page-model.ts';
import type { DocumentRow } from './publication-store.ts';
import { renderBadge } from './render/badge.ts';
import { renderAtom, renderRss } from './render/feed.ts';
import { renderHistory } from './render/history.ts';
import { renderIncident } from './render/incident.ts';
import { renderPage } from './render/page.ts';
import { renderSummary } from './render/summary.ts';

export const historyPageSize = 50;
const html = 'text/html; charset=utf-8';

/** What changes with the page: pure, the same model gives the same bytes. */
export function currentDocuments(model: PageModel, entries: readonly FeedEntry[]): DocumentRow[] {
  const { slug } = model.page;
  return [
    toDocument(slug, html, renderPage(model)),
    toDocument(`${slug}/feed.rss`, 'application/rss+xml; charset=utf-8', renderRss(model, entries)),
    toDocument(`${slug}/feed.atom`, 'application/atom+xml; charset=utf-8', renderAtom(model, entries)),
    toDocument(`${slug}/summary.json`, 'application/json; charset=utf-8', renderSummary(model)),
    toDocument(`${slug}/badge.svg`, 'image/svg+xml; charset=utf-8', renderBadge(model)),
  ];
}

export function incidentDocument(model: PageModel, incident: PageIncident, source: string): DocumentRow {
  const path = `${model.page.slug}/incidents/${incident.id}`;
  return { ...toDocument(path, html, renderIncident(model, incident)), incident_id: incident.id, source };
}

export function historyDocument(
  model: PageModel,
  incidents: readonly PageIncident[],
  place: { number: number; count: number },
  source: string,
): DocumentRow {
  const path = historyPath(model.page.slug, place.number);
  return { ...toDocument(path, html, renderHistory(model, incidents, place.number, place.count)), source };
}

export function historyPath(slug: string, number: number): string {
  return number === 1 ? `${slug}/history` : `${slug}/history/${number}`;
}

function toDocument(path: string, contentType: string, text: string): DocumentRow {
  return {
    path,
    incident_id: null,
    source: '',
    content_type: contentType,
    etag: etagOf(text),
    body_gzip: gzipSync(text),
  };
}
