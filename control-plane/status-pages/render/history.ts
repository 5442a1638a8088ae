import type { PageIncident, PageModel } from '../page-model.ts';
import { pastIncident } from './incident-parts.ts';
import { pageFooter, pageHeader, pathOf, renderDocument, subscribeLink } from './layout.ts';
import { timesIn } from './time.ts';

/** Incidents of the past and present by the month in which they began, one page of at most 50. `pageNumber` begins at 1. */
export function renderHistory(
  model: PageModel,
  incidents: readonly PageIncident[],
  pageNumber: number,
  pageCount: number,
): string {
  const { page } = model;
  const times = timesIn(page.timezone);
  const months = Map.groupBy(incidents, incident => times.month(incident.startedAt));
  const sections = [...months].map(
    ([month, members], index) =>
      `<section aria-labelledby="month-${index}"><h2 id="month-${index}">${month}</h2>${members
        .map(incident => pastIncident(model, incident, times))
        .join('\n')}</section>`,
  );
  const list = sections.length === 0 ? '<p class="card empty">No incidents so far.</p>' : sections.join('\n');
  const body = `${pageHeader(page, subscribeLink(page))}
<main id="main"><p class="back"><a href="${pathOf(page)}">Current status</a></p>
<h1>Incident history</h1>
${list}
${pageLinks(pathOf(page), pageNumber, pageCount)}</main>
${pageFooter(model, times)}`;
  const suffix = pageNumber > 1 ? `, page ${pageNumber}` : '';
  return renderDocument({
    page,
    title: `Incident history${suffix} – ${page.name}`,
    description: `Past incidents of ${page.name}.`,
    address: `${model.url}${historyPath(pageNumber)}`,
    url: model.url,
    body,
  });
}

function historyPath(pageNumber: number): string {
  return pageNumber <= 1 ? '/history' : `/history/${pageNumber}`;
}

function pageLinks(path: string, pageNumber: number, pageCount: number): string {
  if (pageCount <= 1) return '';
  const newer =
    pageNumber > 1 ? `<a rel="prev" href="${path}${historyPath(pageNumber - 1)}">Newer</a>` : '<span></span>';
  const older =
    pageNumber < pageCount ? `<a rel="next" href="${path}${historyPath(pageNumber + 1)}">Older</a>` : '<span></span>';
  return `<nav class="pages" aria-label="Pages of the history">${newer}<span>Page ${pageNumber} of ${pageCount}</span>${older}</nav>`;
}
