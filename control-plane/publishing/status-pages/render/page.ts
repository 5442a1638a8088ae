import { type Html, html, joinLines } from '../../../platform/markup/html.ts';
import { fill, fillHtml } from '../locale/language.ts';
import type { PageModel } from '../publish/page-model.ts';
import { renderAffected, renderComponents } from './component-list.ts';
import { type Headline, headlineOf } from './headline.ts';
import { icon } from './icons.ts';
import { briefIncident, openIncident } from './incident-parts.ts';
import { pageFooter, pageHeader, pathOf, renderDocument, subscribeLink } from './layout.ts';
import { maintenanceSection } from './maintenance.ts';
import { renderSubscribeForm } from './subscribe-form.ts';
import { type View, viewOf } from './view.ts';

/** Open incidents with their updates; the lighter ones after them are brief, like past ones. */
const fullIncidentsMax = 3;

/** The public status page as HTML: what is wrong first, then every component, then past incidents. */
export function renderPage(model: PageModel): string {
  const { page } = model;
  const view = viewOf(model);
  const { language } = view;
  const headline = headlineOf(model, language.words);
  const about = page.description !== '' && html`<p class="lead"><bdi>${page.description}</bdi></p>`;
  const body = html`${pageHeader(page, language, subscribeLink(page, language))}
<main id="main">${about}
${hero(view, headline)}
${maintenanceSection(view, 'current')}
${openIncidents(view)}
${maintenanceSection(view, 'upcoming')}
${renderComponents(view)}
${recentIncidents(view)}
${maintenanceSection(view, 'past')}
${renderSubscribeForm(view)}</main>
${pageFooter(view)}`;
  return renderDocument({
    page,
    language,
    tone: headline.tone,
    title: `${headline.text} – ${page.name}`,
    description: page.description || fill(language.words.frame.about, { page: page.name }),
    address: model.url,
    url: model.url,
    body,
  });
}

function hero({ model, language, times }: View, { tone, text }: Headline): Html {
  const asOf = fillHtml(language.words.frame.asOf, { time: times.html(model.asOf) });
  return html`<section class="hero t-${tone}" aria-labelledby="headline">${icon(tone)}<div>
<h1 id="headline">${text}</h1><p>${asOf}</p></div>
${renderAffected(model.components, language)}</section>`;
}

function openIncidents(view: View): Html | null {
  const { openIncidents: open } = view.model;
  if (open.length === 0) return null;
  const incidents = open.map((incident, index) =>
    index < fullIncidentsMax ? openIncident(view, incident) : briefIncident(view, incident),
  );
  const title = html`<h2 id="open">${view.language.words.page.open}</h2>`;
  return html`<section aria-labelledby="open">${title}${joinLines(incidents)}</section>`;
}

function recentIncidents(view: View): Html {
  const { words } = view.language;
  const incidents = view.model.recentIncidents.map(incident => briefIncident(view, incident));
  const list = incidents.length === 0 ? html`<p class="empty">${words.page.noRecent}</p>` : joinLines(incidents);
  const link = html`<a href="${pathOf(view.model.page)}/history">${words.history.title}</a>`;
  return html`<section aria-labelledby="recent">
<div class="section-head"><h2 id="recent">${words.page.recent}</h2>${link}</div>${list}</section>`;
}
