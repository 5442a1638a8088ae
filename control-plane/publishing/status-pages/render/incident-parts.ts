import { impactTones } from '../../../platform/design/tones.ts';
import { pathPart, webAddress } from '../../../platform/markup/escape.ts';
import { type Html, html } from '../../../platform/markup/html.ts';
import { cut } from '../../../platform/markup/rendered-text.ts';
import { fill, fillHtml, type Language } from '../locale/language.ts';
import type { PageIncident, PageModel, PageUpdate } from '../publish/page-model.ts';
import { textOf } from '../publish/shorten.ts';
import { icon } from './icons.ts';
import { pathOf } from './layout.ts';
import { renderProse } from './prose.ts';
import type { View } from './view.ts';

const excerptCharactersMax = 280;
/** The update before the latest is shown too, unless both are longer than this. */
const shownCharactersMax = 1500;
const namesMax = 12;

/** An open incident with its latest updates; the earlier ones are folded. Titles are headings of level 3. */
export function openIncident(view: View, incident: PageIncident): Html {
  const facts = html`<p class="facts">${durationOf(view, incident)}</p>${affected(view, incident)}`;
  return html`<article class="card incident t-${impactTones[incident.impact]}">${heading(view, incident)}
${facts}${latestUpdates(view, incident)}</article>`;
}

/** An incident in a few lines, with a link to its own page. */
export function briefIncident(view: View, incident: PageIncident): Html {
  const last = incident.updates.at(-1);
  const excerpt = last === undefined ? '' : cut(textOf(last).excerpt, excerptCharactersMax);
  const facts = html`<p class="facts">${durationOf(view, incident)}</p>${affected(view, incident)}`;
  const said = excerpt !== '' && html`<p class="said" dir="auto">${excerpt}</p>`;
  const kind = incident.resolvedAt === null ? '' : ' past';
  return html`<article class="card incident brief${kind} t-${impactTones[incident.impact]}">${heading(view, incident)}
${facts}${said}${postmortemLink(view, incident)}</article>`;
}

/**
 * Every update, latest first, each with an anchor of its own and a heading of the given level. `path` is that of the
 * incident's own page, for the rest of a text that is cut here; null on that page.
 */
export function renderUpdates(
  view: View,
  updates: readonly PageUpdate[],
  level: 3 | 4,
  path: string | null = null,
): Html {
  if (updates.length === 0) return html`<p class="empty">${view.language.words.incident.noUpdates}</p>`;
  return html`<ol class="updates">${updates.toReversed().map(update => updateItem(view, update, level, path))}</ol>`;
}

/** When the incident started, and when it ended or how long it has lasted so far. */
export function durationOf({ model, language, times }: View, { startedAt, resolvedAt }: PageIncident): Html {
  const words = language.words.incident;
  if (resolvedAt !== null)
    return dotted([
      times.span(startedAt, resolvedAt),
      fillHtml(words.lasted, { duration: durationHtml(resolvedAt - startedAt, language) }),
    ]);
  const ms = model.asOf - startedAt;
  const soFar =
    ms < 60_000 ? html`${words.justStarted}` : fillHtml(words.soFar, { duration: durationHtml(ms, language) });
  return dotted([fillHtml(words.since, { time: times.html(startedAt) }), soFar]);
}

export function incidentPath(model: PageModel, incident: PageIncident): string {
  return `${pathOf(model.page)}/incidents/${pathPart(incident.id)}`;
}

/** Names of the affected components, separated by commas; in a list of incidents no more than twelve. */
export function componentNames(
  { components }: Pick<PageIncident, 'components'>,
  { words, count }: Language,
  shownMax = Number.POSITIVE_INFINITY,
): Html {
  const shown = components.slice(0, shownMax);
  const more = components.length - shown.length;
  const names = shown.map(({ name }, index) => html`${index > 0 && ', '}<bdi>${name}</bdi>`);
  return html`${names}${more > 0 && ` ${count(words.page.affectedMore, more)}`}`;
}

/** An incident with an end is resolved, whatever its last update said. */
export function stateOf(incident: PageIncident, { words }: Language): string {
  return incident.resolvedAt === null ? words.state[incident.state] : words.state.resolved;
}

/** Parts with dots between them; where a line breaks, the style hides the dot, so that none hangs at its end. */
function dotted(parts: readonly Html[]): Html {
  return html`<span class="dotted">${parts.map(part => html`<span>${part}</span> `)}</span>`;
}

function durationHtml(ms: number, language: Language): Html {
  return html`<time datetime="PT${Math.max(0, Math.floor(ms / 60_000))}M">${language.duration(ms)}</time>`;
}

/** The one or two latest updates; earlier ones folded, and those that are left out on the incident's own page. */
function latestUpdates(view: View, incident: PageIncident): Html {
  const { updates, earlierUpdates: leftOut = 0 } = incident;
  const { language, model } = view;
  const path = incidentPath(model, incident);
  const shownMax = updates.slice(-2).reduce((sum, { body }) => sum + body.length, 0) > shownCharactersMax ? 1 : 2;
  const earlier = updates.slice(0, -shownMax);
  const latest = renderUpdates(view, updates.slice(-shownMax), 4, path);
  const count = (number: number) => language.count(language.words.incident.earlier, number);
  const list = renderUpdates(view, earlier, 4, path);
  const folded =
    earlier.length > 0 && html`<details class="earlier"><summary>${count(earlier.length)}</summary>${list}</details>`;
  const link = leftOut > 0 && html`<p class="facts"><a href="${path}#updates">${count(leftOut)}</a></p>`;
  return html`${latest}${folded}${link}`;
}

function updateItem({ language, times }: View, update: PageUpdate, level: 3 | 4, path: string | null): Html {
  const { words } = language;
  const edited =
    update.editedAt !== null && html` (${fillHtml(words.incident.edited, { time: times.html(update.editedAt) })})`;
  const title = html`<h${level}>${words.state[update.state]}</h${level}>`;
  const when = html`<p class="when">${times.html(update.postedAt)}${edited}</p>`;
  const body = renderProse(textOf(update).html, level + 1, language);
  const rest =
    update.isShort === true &&
    path !== null &&
    html`<p class="facts"><a href="${path}#${update.id}">${words.incident.readWhole}</a></p>`;
  return html`<li id="${update.id}" class="s-${update.state}">${title}${when}${body}${rest}</li>`;
}

function heading({ model, language }: View, incident: PageIncident): Html {
  const tone = impactTones[incident.impact];
  const title = html`<h3><a href="${incidentPath(model, incident)}"><bdi>${incident.title}</bdi></a></h3>`;
  const state = html`<b>${stateOf(incident, language)}</b>`;
  const impact = html`<span class="label t-${tone}">${language.words.impact[incident.impact]}</span>`;
  return html`<header class="incident-head">${icon(tone)}<div>${title}
<p class="impact">${dotted([state, impact])}</p></div></header>`;
}

function affected({ language }: View, incident: PageIncident): Html | null {
  if (incident.components.length === 0) return null;
  const names = fillHtml(language.words.incident.affects, { components: componentNames(incident, language, namesMax) });
  return html`<p class="facts">${names}</p>`;
}

function postmortemLink({ model, language }: View, incident: PageIncident): Html | null {
  const { words } = language;
  const external = incident.postmortemUrl === null ? null : webAddress(incident.postmortemUrl);
  const address = incident.postmortemBody ? `${incidentPath(model, incident)}#postmortem` : external;
  if (address === null) return null;
  const label = fill(words.incident.postmortemOf, { incident: incident.title });
  return html`<p class="facts"><a href="${address}" rel="noopener" aria-label="${label}">${
    words.incident.postmortem
  }</a></p>`;
}
