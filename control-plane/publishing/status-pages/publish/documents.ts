import { gzipSync } from 'node:zlib';
import { renderBadge } from '../render/badge.ts';
import { renderAtom, renderRss } from '../render/feed.ts';
import { renderHistory } from '../render/history.ts';
import { renderIncident } from '../render/incident.ts';
import { renderMaintenance } from '../render/maintenance.ts';
import { renderPage } from '../render/page.ts';
import { renderStateIcon } from '../render/state-icon.ts';
import { renderSummary } from '../render/summary.ts';
import { documentPath } from '../serve/document-names.ts';
import { etagOf } from '../serve/page-files.ts';
import { redirectType } from '../serve/redirect.ts';
import type { DocumentRow } from './document-store.ts';
import { type HistoryPosition, historyPath } from './history-pages.ts';
import type { FeedEntry, PageIncident, PageMaintenance, PageModel } from './page-model.ts';
import { leastModel, withShortTexts } from './shorten.ts';

/** No document is longer, before it is compressed: visitors wait for it, and each replica inflates it for some. */
const bytesMax = 2 * 1024 * 1024;
const longTextBytes = 4096;
const html = 'text/html; charset=utf-8';

/** Documents that are rendered at every publication. Pure: the same model gives the same bytes. */
export function currentDocuments(model: PageModel, entries: readonly FeedEntry[]): DocumentRow[] {
  const { logo } = model;
  const at = (rest?: string) => documentPath(model.page, rest);
  const feed = (render: typeof renderRss) =>
    [1, 2, 5, 10, 25].map(part => () => render(model, entries.slice(0, Math.ceil(entries.length / part))));
  return [
    toDocument(at(), html, [() => renderPage(model), () => renderPage(leastModel(model))]),
    toDocument(at('feed.rss'), 'application/rss+xml; charset=utf-8', feed(renderRss)),
    toDocument(at('feed.atom'), 'application/atom+xml; charset=utf-8', feed(renderAtom)),
    toDocument(at('summary.json'), 'application/json; charset=utf-8', [
      () => renderSummary(model),
      () => renderSummary(leastModel(model)),
    ]),
    toDocument(at('badge.svg'), 'image/svg+xml; charset=utf-8', [() => renderBadge(model)]),
    toDocument(at('icon.svg'), 'image/svg+xml; charset=utf-8', [() => renderStateIcon(model)]),
    ...(logo === null ? [] : [toDocument(at('logo'), logo.contentType, [() => logo.bytes])]),
  ];
}

/** The page of one incident. `source` identifies the rows it was rendered from. */
export function incidentDocument(model: PageModel, incident: PageIncident, source: string): DocumentRow {
  const path = documentPath(model.page, `incidents/${incident.id}`);
  const document = toDocument(path, html, [
    () => renderIncident(model, incident),
    () => renderIncident(model, withShortTexts(incident, longTextBytes)),
    () => renderIncident(model, withShortTexts(incident, 0)),
  ]);
  return { ...document, incident_id: incident.id, source };
}

/** The page of one window. `source` identifies what it was rendered from. */
export function maintenanceDocument(model: PageModel, maintenance: PageMaintenance, source: string): DocumentRow {
  const path = documentPath(model.page, `maintenances/${maintenance.id}`);
  const document = toDocument(path, html, [
    () => renderMaintenance(model, maintenance),
    () => renderMaintenance(model, { ...maintenance, description: null, updates: maintenance.updates.slice(-3) }),
    () => renderMaintenance(model, { ...maintenance, description: null, updates: [] }),
  ]);
  return { ...document, source };
}

/** A page of the history. `source` identifies the rows it was rendered from. */
export function historyDocument(
  model: PageModel,
  incidents: readonly PageIncident[],
  position: HistoryPosition,
  source: string,
): DocumentRow {
  const path = documentPath(model.page, historyPath(position.number).slice(1));
  return { ...toDocument(path, html, [() => renderHistory(model, incidents, position)]), source };
}

/** What visitors of an earlier slug get: `servePublished` answers with a redirect. */
export function redirectDocument(formerSlug: string, slug: string): DocumentRow {
  return toDocument(formerSlug, redirectType(slug), [() => slug]);
}

/** The first rendering that is short enough. Throws if none is. */
function toDocument(
  path: string,
  contentType: string,
  renderings: readonly (() => string | Uint8Array)[],
): DocumentRow {
  for (const render of renderings) {
    const content = Buffer.from(render());
    if (content.length > bytesMax) continue;
    return {
      path,
      incident_id: null,
      source: '',
      content_type: contentType,
      etag: etagOf(content),
      body_gzip: gzipSync(content),
    };
  }
  throw new Error(`${path} is longer than ${bytesMax} bytes`);
}
