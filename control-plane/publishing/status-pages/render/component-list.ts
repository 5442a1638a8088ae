import { worstOf } from '../../../monitoring/components/status.ts';
import { statusTones } from '../../../platform/design/tones.ts';
import { type Html, html, trusted } from '../../../platform/markup/html.ts';
import { fill, fillHtml, type Language } from '../locale/language.ts';
import type { Day, PageComponent } from '../publish/page-model.ts';
import { createDayCache, type DayCache, dayBars, dayList, sampleBar } from './day-bars.ts';
import { icon, iconLabel } from './icons.ts';
import type { View } from './view.ts';

/** With more components than this, what is operational is folded and rows are lower. */
const calmComponentsMax = 12;
/** How many operational components without a group are shown even then. */
const ungroupedShownMax = 8;

type List = { view: View; cache: DayCache; isLarge: boolean };

/** All components, each group together, each component with its status and its days. Null when the page has none. */
export function renderComponents(view: View): Html | null {
  const { components, page } = view.model;
  if (components.length === 0) return null;
  const list = { view, cache: createDayCache(), isLarge: components.length > calmComponentsMax };
  const groups = groupsOf(components).map(({ name, members }) =>
    name === null ? ungroupedCard(members, list) : groupCard(name, members, list),
  );
  const hasDays = components.some(component => component.days !== null);
  const heading = html`<h2 id="components">${view.language.words.components.title}</h2>`;
  return html`<section aria-labelledby="components"${list.isLarge && html` class="large"`}>
<div class="section-head">${heading}${hasDays && legend(page.historyDays, view.language)}</div>
<div class="groups">${groups}</div></section>`;
}

/** Links to the components that are not operational: on a page of ninety, nobody should have to search for them. */
export function renderAffected(components: readonly PageComponent[], language: Language, shownMax = 12): Html | null {
  const { words, count } = language;
  const affected = components.filter(component => component.status !== 'operational');
  if (affected.length === 0) return null;
  const items = affected.slice(0, shownMax).map(({ id, name, status }) => {
    const tone = statusTones[status];
    const text = html`<bdi>${name}</bdi><span class="unseen">: ${words.status[status]}</span>`;
    return html`<li><a class="chip t-${tone}" href="#${id}">${icon(tone)}${text}</a></li>`;
  });
  const more = affected.length - shownMax;
  const rest =
    more > 0 && html`<li><a class="chip" href="#components">${count(words.page.affectedMore, more)}</a></li>`;
  return html`<ul class="affected" aria-label="${words.page.affected}">${items}${rest}</ul>`;
}

export type Group = { name: string | null; members: PageComponent[] };

/** Adjacent components of one group, in the order of the model. */
export function groupsOf(components: readonly PageComponent[]): Group[] {
  const groups: Group[] = [];
  for (const component of components) {
    const last = groups.at(-1);
    if (last !== undefined && last.name === component.group) last.members.push(component);
    else groups.push({ name: component.group, members: [component] });
  }
  return groups;
}

/** A group of a large page is folded while all of it is operational. */
function groupCard(name: string, members: readonly PageComponent[], list: List): Html {
  const { language } = list.view;
  const { words } = language;
  const status = worstOf(members.map(member => member.status));
  const count = html`<span class="count">${language.count(words.components.count, members.length)}</span>`;
  const label = iconLabel(statusTones[status], words.status[status]);
  const summary = html`<summary><h3><bdi>${name}</bdi></h3>${count}${label}</summary>`;
  const open = trusted(list.isLarge && status === 'operational' ? '' : ' open');
  return html`<details class="card group"${open}>${summary}${componentItems(members, list)}</details>`;
}

/** On a large page the first operational components and all others are shown; the rest is folded, in its order. */
function ungroupedCard(members: readonly PageComponent[], list: List): Html {
  const { language } = list.view;
  const calm = members.filter(member => member.status === 'operational');
  const folded = list.isLarge ? new Set(calm.slice(ungroupedShownMax)) : new Set();
  const shown = members.filter(member => !folded.has(member));
  const rest = members.filter(member => folded.has(member));
  if (rest.length === 0) return html`<div class="card">${componentItems(members, list)}</div>`;
  const summary = html`<summary>${language.count(language.words.components.more, rest.length)}</summary>`;
  return html`<div class="card">${componentItems(shown, list)}
<details class="more">${summary}${componentItems(rest, list)}</details></div>`;
}

function componentItems(members: readonly PageComponent[], list: List): Html {
  return html`<ul class="components">${members.map(component => componentItem(component, list))}</ul>`;
}

function componentItem(component: PageComponent, { view, cache }: List): Html {
  const { id, name, description, status, days } = component;
  const label = iconLabel(statusTones[status], view.language.words.status[status]);
  const about = description !== '' && html`<p class="about"><bdi>${description}</bdi></p>`;
  const shown = days !== null && days.length > 0 && history(component, days, view, cache);
  const head = html`<div class="component"><span class="name"><bdi>${name}</bdi></span>${label}</div>`;
  return html`<li id="${id}">${head}${about}${shown}</li>`;
}

function history(component: PageComponent, days: readonly Day[], view: View, cache: DayCache): Html {
  const { language, times } = view;
  const [first, last] = [days.at(0), days.at(-1)].map(
    day => day !== undefined && html`<time datetime="${day.date}">${times.shortDay(day.date)}</time>`,
  );
  const share = html`<span class="uptime">${summaryOf(component, language)}</span>`;
  const scale = html`${first}${share}${last}`;
  const title = fillHtml(language.words.components.days, { component: html`<bdi>${component.name}</bdi>` });
  return html`<details class="history"><summary><span class="unseen">${title} </span>${dayBars(days, cache, view)}
<span class="scale">${scale}</span></summary>${dayList(days, cache, view)}</details>`;
}

/** All days in a few words: their uptime where it is measured, else how many incidents there were. */
function summaryOf({ uptime, incidentCount }: PageComponent, { words, count, percent }: Language): string {
  if (uptime !== null) return fill(words.components.uptime, { share: percent(uptime) });
  if (incidentCount === null) return words.components.noData;
  return incidentCount === 0 ? words.components.noIncidents : count(words.components.incidents, incidentCount);
}

function legend(historyDays: number, { words }: Language): Html {
  const entries = [
    ['up', words.status.operational],
    ['degraded', words.status.degraded_performance],
    ['partial', words.status.partial_outage],
    ['down', words.status.major_outage],
    ['none', words.status.unknown],
  ] as const;
  const items = entries.map(([level, text]) => html`<li>${sampleBar(level)}${text}</li>`);
  const days = fill(words.components.legendDays, { count: historyDays });
  return html`<ul class="legend" aria-label="${words.components.legend}"><li>${days}</li>${items}</ul>`;
}
