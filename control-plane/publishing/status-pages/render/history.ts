import { type Html, html, joinLines } from '../../../platform/markup/html.ts';
import { fill, type Language } from '../locale/language.ts';
import { type HistoryPosition, historyPath } from '../publish/history-pages.ts';
import type { PageIncident, PageModel } from '../publish/page-model.ts';
import { briefIncident } from './incident-parts.ts';
import { backLink, pageFooter, pageHeader, pathOf, renderDocument, subscribeLink } from './layout.ts';
import { type View, viewOf } from './view.ts';

/** One page of the incident history, by the month in which incidents started. */
export function renderHistory(model: PageModel, incidents: readonly PageIncident[], position: HistoryPosition): string {
  const { page } = model;
  const view = viewOf(model);
  const { language, times } = view;
  const words = language.words.history;
  const months = Map.groupBy(incidents, incident => times.month(incident.startedAt));
  const sections = [...months].map(([month, members], index) => monthSection(view, month, members, index));
  const body = html`${pageHeader(page, language, subscribeLink(page, language))}
<main id="main">${backLink(page, language)}
<h1>${words.title}</h1>
${sections.length === 0 ? html`<p class="card empty">${words.empty}</p>` : joinLines(sections)}
${pageLinks(pathOf(page), position, language)}</main>
${pageFooter(view)}`;
  const title = position.number === null ? words.title : fill(words.titleOfPage, { number: position.number });
  return renderDocument({
    page,
    language,
    tone: null,
    title: `${title} – ${page.name}`,
    description: fill(words.about, { page: page.name }),
    address: `${model.url}${historyPath(position.number)}`,
    url: model.url,
    body,
  });
}

function monthSection(view: View, month: string, incidents: readonly PageIncident[], index: number): Html {
  const list = joinLines(incidents.map(incident => briefIncident(view, incident)));
  return html`<section aria-labelledby="month-${index}"><h2 id="month-${index}">${month}</h2>${list}</section>`;
}

function pageLinks(path: string, { newer, older }: HistoryPosition, language: Language): Html | null {
  if (newer === null && older === null) return null;
  const words = language.words.history;
  const link = (rel: string, number: number | null, label: string) =>
    html`<a rel="${rel}" href="${path}${historyPath(number)}">${label}</a>`;
  const none = html`<span></span>`;
  const toNewer = newer === null ? none : link('prev', newer === 'newest' ? null : newer, words.newer);
  const toOlder = older === null ? none : link('next', older, words.older);
  return html`<nav class="pages" aria-label="${words.pages}">${toNewer}${none}${toOlder}</nav>`;
}
