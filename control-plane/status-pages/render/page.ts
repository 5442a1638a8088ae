import type { PageModel } from '../page-model.ts';
import { renderAffected, renderComponents } from './component-list.ts';
import { escapeText } from './escape.ts';
import { icon } from './icons.ts';
import { openIncident, pastIncident } from './incident-parts.ts';
import { pageFooter, pageHeader, pathOf, renderDocument, subscribeLink } from './layout.ts';
import { renderSubscribeForm } from './subscribe-form.ts';
import { type Times, timesIn } from './time.ts';
import { headlineOf } from './words.ts';

/** The public status page as HTML: what is wrong first, then every component, then what was. */
export function renderPage(model: PageModel): string {
  const { page } = model;
  const times = timesIn(page.timezone);
  const headline = headlineOf(model);
  const about = page.description === '' ? '' : `<p class="lead" dir="auto">${escapeText(page.description)}</p>`;
  const body = `${pageHeader(page, subscribeLink(page))}
<main id="main">${about}
<section class="hero t-${headline.tone}" aria-labelledby="headline">${icon(headline.tone)}<div><h1 id="headline">${headline.text}</h1><p>As of ${times.html(model.asOf)}</p></div>${renderAffected(model.components)}</section>
${openIncidents(model, times)}
${renderComponents(model)}
${recentIncidents(model, times)}
${renderSubscribeForm(model)}</main>
${pageFooter(model, times)}`;
  return renderDocument({
    page,
    title: `${headline.text} – ${page.name}`,
    description: page.description || `Current status and history of ${page.name}.`,
    address: model.url,
    url: model.url,
    body,
  });
}

function openIncidents(model: PageModel, times: Times): string {
  if (model.openIncidents.length === 0) return '';
  const incidents = model.openIncidents.map(incident => openIncident(model, incident, times));
  return `<section aria-labelledby="open"><h2 id="open">Open incidents</h2>${incidents.join('\n')}</section>`;
}

function recentIncidents(model: PageModel, times: Times): string {
  const incidents = model.recentIncidents.map(incident => pastIncident(model, incident, times));
  const list = incidents.length === 0 ? '<p class="empty">None in the last 14 days.</p>' : incidents.join('\n');
  return `<section aria-labelledby="recent"><div class="section-head"><h2 id="recent">Resolved in the last 14 days</h2><a href="${pathOf(model.page)}/history">Incident history</a></div>${list}</section>`;
}
