import type { PageIncident, PageModel, PageUpdate } from '../page-model.ts';
import { escapeText, pathPart, webAddress } from './escape.ts';
import { icon } from './icons.ts';
import { pathOf } from './layout.ts';
import { plainText, renderMarkdown } from './markdown.ts';
import { durationText, type Times } from './time.ts';
import { impactTones, impactWords, stateWords } from './words.ts';

/** An open incident with all that was said, latest first. Titles are headings of level 3. */
export function openIncident(model: PageModel, incident: PageIncident, times: Times): string {
  return `<article class="card incident t-${impactTones[incident.impact]}">${heading(model, incident)}
<p class="facts">${span(incident, model.asOf, times)}</p>${affected(incident)}${renderUpdates(incident, times, 4)}</article>`;
}

/** An incident of the past in a few lines, with a link to the rest. */
export function pastIncident(model: PageModel, incident: PageIncident, times: Times): string {
  const last = incident.updates.at(-1);
  const words = last === undefined ? '' : cut(plainText(last.body), 280);
  const said = words === '' ? '' : `<p class="said" dir="auto">${escapeText(words)}</p>`;
  return `<article class="card incident past t-${impactTones[incident.impact]}">${heading(model, incident)}
<p class="facts">${span(incident, model.asOf, times)}</p>${affected(incident)}${said}${postmortemLink(model, incident)}</article>`;
}

/** Every update, latest first, each with a heading of the given level and an anchor of its own. */
export function renderUpdates(incident: PageIncident, times: Times, level: number): string {
  if (incident.updates.length === 0) return '<p class="empty">No update yet.</p>';
  const items = [...incident.updates].reverse().map(update => updateItem(update, times, level));
  return `<ol class="updates">${items.join('')}</ol>`;
}

/** When it began, when it ended or how long it has lasted. */
export function span(incident: PageIncident, asOf: number, times: Times): string {
  const { startedAt, resolvedAt } = incident;
  const duration = durationText((resolvedAt ?? asOf) - startedAt);
  return resolvedAt === null
    ? `Since ${times.html(startedAt)} <span class="sep">·</span> ${duration} so far`
    : `${times.span(startedAt, resolvedAt)} <span class="sep">·</span> lasted ${duration}`;
}

export function incidentPath(model: PageModel, incident: PageIncident): string {
  return `${pathOf(model.page)}/incidents/${pathPart(incident.id)}`;
}

export function componentNames(incident: PageIncident): string {
  return incident.components.map(({ name }) => `<bdi>${escapeText(name)}</bdi>`).join(', ');
}

function updateItem(update: PageUpdate, times: Times, level: number): string {
  const edited = update.editedAt === null ? '' : ` <span class="edited">(edited ${times.html(update.editedAt)})</span>`;
  return `<li id="${escapeText(update.id)}" class="s-${update.state}"><h${level}>${stateWords[update.state]}</h${level}><p class="when">${times.html(
    update.postedAt,
  )}${edited}</p><div class="prose" dir="auto">${renderMarkdown(update.body, level + 1)}</div></li>`;
}

function heading(model: PageModel, incident: PageIncident): string {
  const tone = impactTones[incident.impact];
  const state = incident.resolvedAt === null ? stateWords[incident.state] : 'Resolved';
  return `<header class="incident-head">${icon(tone)}<div><h3 dir="auto"><a href="${incidentPath(model, incident)}">${escapeText(
    incident.title,
  )}</a></h3><p class="impact"><b>${state}</b> <span class="sep">·</span> <span class="label t-${tone}">${impactWords[incident.impact]}</span></p></div></header>`;
}

function affected(incident: PageIncident): string {
  return incident.components.length === 0 ? '' : `<p class="facts">Affects ${componentNames(incident)}</p>`;
}

function postmortemLink(model: PageModel, incident: PageIncident): string {
  const outside = incident.postmortemUrl === null ? null : webAddress(incident.postmortemUrl);
  const address = incident.postmortemBody ? `${incidentPath(model, incident)}#postmortem` : outside;
  const named = `<span class="unseen"> of ${escapeText(incident.title)}</span>`;
  return address === null
    ? ''
    : `<p class="facts"><a href="${escapeText(address)}" rel="noopener">Post-mortem${named}</a></p>`;
}

function cut(text: string, characters: number): string {
  const points = [...text];
  return points.length <= characters
    ? text
    : `${points
        .slice(0, characters - 1)
        .join('')
        .trimEnd()}…`;
}
