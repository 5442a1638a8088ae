import type { PageIncident, PageModel } from '../page-model.ts';
import { escapeText, webAddress } from './escape.ts';
import { icon, label } from './icons.ts';
import { componentNames, incidentPath, renderUpdates, span } from './incident-parts.ts';
import { pageFooter, pageHeader, pathOf, renderDocument, subscribeLink } from './layout.ts';
import { plainText, renderMarkdown } from './markdown.ts';
import { timesIn } from './time.ts';
import { impactTones, impactWords, stateWords } from './words.ts';

/** All there is about one incident: facts, post-mortem, every update. */
export function renderIncident(model: PageModel, incident: PageIncident): string {
  const { page } = model;
  const times = timesIn(page.timezone);
  const tone = impactTones[incident.impact];
  const state = incident.resolvedAt === null ? stateWords[incident.state] : 'Resolved';
  const affects =
    incident.components.length === 0 ? '' : `<div><dt>Affects</dt><dd>${componentNames(incident)}</dd></div>`;
  const body = `${pageHeader(page, subscribeLink(page))}
<main id="main"><p class="back"><a href="${pathOf(page)}">Current status</a></p>
<div class="hero t-${incident.resolvedAt === null ? tone : 'ok'}">${icon(incident.resolvedAt === null ? tone : 'ok')}<div><h1 dir="auto">${escapeText(incident.title)}</h1><p>${span(incident, model.asOf, times)}</p></div></div>
<dl class="card about-incident"><div><dt>State</dt><dd>${state}</dd></div><div><dt>Impact</dt><dd>${label(tone, impactWords[incident.impact])}</dd></div>${affects}</dl>
${postmortem(incident)}
<section class="card" aria-labelledby="updates"><h2 id="updates">Updates</h2>${renderUpdates(incident, times, 3)}</section></main>
${pageFooter(model, times)}`;
  const last = incident.updates.at(-1);
  return renderDocument({
    page,
    title: `${incident.title} – ${page.name}`,
    description: `${state}. ${last === undefined ? '' : plainText(last.body).slice(0, 280)}`.trim(),
    address: new URL(incidentPath(model, incident), model.url).href,
    url: model.url,
    body,
  });
}

function postmortem(incident: PageIncident): string {
  const address = incident.postmortemUrl === null ? null : webAddress(incident.postmortemUrl);
  // The address of the part of this page is no link to elsewhere.
  const outside = address === null || address.endsWith(`/incidents/${incident.id}#postmortem`) ? null : address;
  if (!incident.postmortemBody && outside === null) return '';
  const text = incident.postmortemBody
    ? `<div class="prose" dir="auto">${renderMarkdown(incident.postmortemBody, 3)}</div>`
    : '';
  const link =
    outside === null ? '' : `<p><a href="${escapeText(outside)}" rel="nofollow noopener">Read the post-mortem</a></p>`;
  return `<section class="card" id="postmortem" aria-labelledby="postmortem-title"><h2 id="postmortem-title">Post-mortem</h2>${text}${link}</section>`;
}
