import { impactTones } from '../../../platform/design/tones.ts';
import { webAddress } from '../../../platform/markup/escape.ts';
import { type Html, html } from '../../../platform/markup/html.ts';
import { parseMarkdown } from '../../../platform/markup/markdown.ts';
import { cut } from '../../../platform/markup/rendered-text.ts';
import type { PageIncident, PageModel } from '../publish/page-model.ts';
import { textOf } from '../publish/shorten.ts';
import { icon, iconLabel } from './icons.ts';
import { componentNames, durationOf, incidentPath, renderUpdates, stateOf } from './incident-parts.ts';
import { backLink, pageFooter, pageHeader, renderDocument, subscribeLink } from './layout.ts';
import { renderProse } from './prose.ts';
import { type View, viewOf } from './view.ts';

/** The page of one incident: facts, post-mortem, every update. */
export function renderIncident(model: PageModel, incident: PageIncident): string {
  const { page } = model;
  const view = viewOf(model);
  const { language } = view;
  const body = html`${pageHeader(page, language, subscribeLink(page, language))}
<main id="main">${backLink(page, language)}
${hero(view, incident)}
${facts(view, incident)}
${postmortem(view, incident)}
<section class="card" aria-labelledby="updates"><h2 id="updates">${language.words.incident.updates}</h2>
${renderUpdates(view, incident.updates, 3)}</section></main>
${pageFooter(view)}`;
  const last = incident.updates.at(-1);
  const excerpt = last === undefined ? '' : cut(textOf(last).excerpt, 280);
  return renderDocument({
    page,
    language,
    tone: null,
    title: `${incident.title} – ${page.name}`,
    description: `${stateOf(incident, language)}. ${excerpt}`.trim(),
    address: new URL(incidentPath(model, incident), model.url).href,
    url: model.url,
    body,
  });
}

function hero(view: View, incident: PageIncident): Html {
  const tone = incident.resolvedAt === null ? impactTones[incident.impact] : 'ok';
  const title = html`<h1><bdi>${incident.title}</bdi></h1>`;
  return html`<div class="hero t-${tone}">${icon(tone)}<div>${title}<p>${durationOf(view, incident)}</p></div></div>`;
}

function facts({ language }: View, incident: PageIncident): Html {
  const { words } = language;
  const entry = (name: string, value: Html | string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const state = entry(words.incident.state, stateOf(incident, language));
  const impact = entry(words.incident.impact, iconLabel(impactTones[incident.impact], words.impact[incident.impact]));
  const affects =
    incident.components.length > 0 && entry(words.incident.components, componentNames(incident, language));
  return html`<dl class="card about-incident">${state}${impact}${affects}</dl>`;
}

function postmortem({ language }: View, incident: PageIncident): Html | null {
  const words = language.words.incident;
  const address = incident.postmortemUrl === null ? null : webAddress(incident.postmortemUrl);
  // The address of this very section is no link to elsewhere.
  const external = address === null || address.endsWith(`/incidents/${incident.id}#postmortem`) ? null : address;
  if (!incident.postmortemBody && external === null) return null;
  const body = incident.postmortemHtml ?? parseMarkdown(incident.postmortemBody ?? '');
  const text = incident.postmortemBody && renderProse(body, 3, language);
  const link =
    external !== null && html`<p><a href="${external}" rel="nofollow noopener">${words.readPostmortem}</a></p>`;
  return html`<section class="card" id="postmortem" aria-labelledby="postmortem-title">
<h2 id="postmortem-title">${words.postmortem}</h2>${text}${link}</section>`;
}
