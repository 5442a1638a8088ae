import { statusTones } from '../../../platform/design/tones.ts';
import { pathPart } from '../../../platform/markup/escape.ts';
import { type Html, html, joinLines } from '../../../platform/markup/html.ts';
import { cut } from '../../../platform/markup/rendered-text.ts';
import { fillHtml } from '../locale/language.ts';
import type { MaintenanceUpdate, PageMaintenance, PageModel } from '../publish/page-model.ts';
import { icon, iconLabel } from './icons.ts';
import { componentNames } from './incident-parts.ts';
import { backLink, pageFooter, pageHeader, pathOf, renderDocument, subscribeLink } from './layout.ts';
import { renderProse } from './prose.ts';
import { type View, viewOf } from './view.ts';

const namesMax = 12;
const excerptMax = 280;

function maintenancePath(model: PageModel, { id }: PageMaintenance): string {
  return `${pathOf(model.page)}/maintenances/${pathPart(id)}`;
}

/** Windows of one kind on the status page; null if there are none. */
export function maintenanceSection(view: View, kind: 'current' | 'upcoming' | 'past'): Html | null {
  const { model, language } = view;
  const shown = (model.maintenances ?? []).filter(({ state }) => kindOf(state) === kind);
  if (shown.length === 0) return null;
  const title = html`<h2 id="maintenance-${kind}">${language.words.maintenance[kind]}</h2>`;
  const list = joinLines(shown.map(maintenance => card(view, maintenance)));
  return html`<section aria-labelledby="maintenance-${kind}">${title}${list}</section>`;
}

/** The page of one window: when, what it affects, every update. */
export function renderMaintenance(model: PageModel, maintenance: PageMaintenance): string {
  const { page } = model;
  const view = viewOf(model);
  const { language, times } = view;
  const { words } = language;
  const tone = toneOf(maintenance);
  const entry = (name: string, value: Html | string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const span = times.span(maintenance.startsAt, maintenance.endsAt);
  const affects =
    maintenance.components.length > 0 && entry(words.incident.components, componentNames(maintenance, language));
  const about = maintenance.description !== null && renderProse(maintenance.description.html, 2, language);
  const body = html`${pageHeader(page, language, subscribeLink(page, language))}
<main id="main">${backLink(page, language)}
<div class="hero t-${tone}">${icon(tone)}<div><h1><bdi>${maintenance.title}</bdi></h1><p>${span}</p></div></div>
<dl class="card about-incident">${entry(
    words.incident.state,
    iconLabel(tone, words.maintenance.state[maintenance.state]),
  )}${entry(words.maintenance.time, span)}${affects}</dl>
${about !== false && html`<section class="card">${about}</section>`}
<section class="card" aria-labelledby="updates"><h2 id="updates">${words.incident.updates}</h2>
${updateList(view, maintenance.updates)}</section></main>
${pageFooter(view)}`;
  return renderDocument({
    page,
    language,
    tone: null,
    title: `${maintenance.title} – ${page.name}`,
    description: `${words.maintenance.kind}. ${cut(maintenance.description?.excerpt ?? '', excerptMax)}`.trim(),
    address: new URL(maintenancePath(model, maintenance), model.url).href,
    url: model.url,
    body,
  });
}

function kindOf(state: PageMaintenance['state']): 'current' | 'upcoming' | 'past' {
  if (state === 'in_progress') return 'current';
  return state === 'scheduled' ? 'upcoming' : 'past';
}

function toneOf({ state }: PageMaintenance) {
  if (state === 'in_progress') return statusTones.under_maintenance;
  return state === 'completed' ? 'ok' : 'note';
}

function card(view: View, maintenance: PageMaintenance): Html {
  const { model, language, times } = view;
  const { words } = language;
  const tone = toneOf(maintenance);
  const last = maintenance.updates.at(-1);
  const said = cut(last?.rendered?.excerpt ?? maintenance.description?.excerpt ?? '', excerptMax);
  const names = fillHtml(words.incident.affects, { components: componentNames(maintenance, language, namesMax) });
  const title = html`<h3><a href="${maintenancePath(model, maintenance)}"><bdi>${maintenance.title}</bdi></a></h3>`;
  const state = html`<p class="impact"><b>${words.maintenance.state[maintenance.state]}</b></p>`;
  const past = kindOf(maintenance.state) === 'past' ? ' past' : '';
  const head = html`<header class="incident-head">${icon(tone)}<div>${title}
${state}</div></header>`;
  return html`<article class="card incident brief${past} t-${tone}">${head}
<p class="facts">${times.span(maintenance.startsAt, maintenance.endsAt)}</p>${
    maintenance.components.length > 0 && html`<p class="facts">${names}</p>`
  }${said !== '' && html`<p class="said" dir="auto">${said}</p>`}</article>`;
}

function updateList(view: View, updates: readonly MaintenanceUpdate[]): Html {
  const { language, times } = view;
  const { words } = language;
  if (updates.length === 0) return html`<p class="empty">${words.incident.noUpdates}</p>`;
  const items = updates.toReversed().map(update => {
    const edited =
      update.editedAt !== null && html` (${fillHtml(words.incident.edited, { time: times.html(update.editedAt) })})`;
    const text = renderProse(update.rendered?.html ?? '', 4, language);
    return html`<li id="${update.id}" class="s-${update.state}"><h3>${words.maintenance.state[update.state]}</h3>
<p class="when">${times.html(update.postedAt)}${edited}</p>${text}</li>`;
  });
  return html`<ol class="updates">${items}</ol>`;
}
