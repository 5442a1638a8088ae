import { worstOf } from '../../components/status.ts';
import type { Day, PageComponent, PageModel } from '../page-model.ts';
import { dayBars, dayList, type Made, nothingMade, sampleBar } from './day-bars.ts';
import { escapeText } from './escape.ts';
import { icon, label } from './icons.ts';
import { dayText } from './time.ts';
import { countText, percentText, statusTones, statusWords } from './words.ts';

/** All components, those of a group together, each with its status and its days. */
export function renderComponents(model: PageModel): string {
  if (model.components.length === 0) return '';
  const made = nothingMade();
  const groups = groupsOf(model.components).map(({ name, members }) => {
    const items = members.map(component => componentItem(component, made)).join('');
    const list = `<ul class="components">${items}</ul>`;
    return name === null ? `<div class="card">${list}</div>` : groupCard(name, members, list);
  });
  const measured = model.components.some(component => component.days !== null);
  return `<section aria-labelledby="components"><div class="section-head"><h2 id="components">Components</h2>${
    measured ? legend(model.page.historyDays) : ''
  }</div><div class="groups">${groups.join('')}</div></section>`;
}

/** What is not well, with links to it: on a page of ninety components nobody should have to look for it. */
export function renderAffected(components: readonly PageComponent[], shownMax = 12): string {
  const affected = components.filter(component => component.status !== 'operational');
  if (affected.length === 0) return '';
  const items = affected
    .slice(0, shownMax)
    .map(
      ({ id, name, status }) =>
        `<li><a class="chip t-${statusTones[status]}" href="#${escapeText(id)}">${icon(statusTones[status])}<bdi>${escapeText(name)}</bdi><span class="unseen">: ${statusWords[status]}</span></a></li>`,
    );
  const more = affected.length - shownMax;
  if (more > 0) items.push(`<li><a class="chip" href="#components">and ${more} more</a></li>`);
  return `<ul class="affected" aria-label="Affected components">${items.join('')}</ul>`;
}

export type Group = { name: string | null; members: PageComponent[] };

/** Neighbours of one group, in the order of the model. */
export function groupsOf(components: readonly PageComponent[]): Group[] {
  const groups: Group[] = [];
  for (const component of components) {
    const last = groups.at(-1);
    if (last !== undefined && last.name === component.group) last.members.push(component);
    else groups.push({ name: component.group, members: [component] });
  }
  return groups;
}

function groupCard(name: string, members: readonly PageComponent[], list: string): string {
  const status = worstOf(members.map(member => member.status));
  const count = countText(members.length, 'component', 'components');
  return `<details class="card group" open><summary><h3 dir="auto">${escapeText(name)}</h3><span class="count">${count}</span>${label(
    statusTones[status],
    statusWords[status],
  )}</summary>${list}</details>`;
}

function componentItem(component: PageComponent, made: Made): string {
  const { id, name, description, status, days } = component;
  const about = description === '' ? '' : `<p class="about" dir="auto">${escapeText(description)}</p>`;
  return `<li id="${escapeText(id)}"><div class="component"><span class="name" dir="auto">${escapeText(name)}</span>${label(
    statusTones[status],
    statusWords[status],
  )}</div>${about}${days === null || days.length === 0 ? '' : history(component, days, made)}</li>`;
}

function history(component: PageComponent, days: NonNullable<PageComponent['days']>, made: Made): string {
  const uptime = component.uptime === null ? 'No data' : `${percentText(component.uptime)} uptime`;
  return `<details class="history"><summary><span class="unseen"><bdi>${escapeText(component.name)}</bdi>, day by day: </span>${dayBars(days, made)}<span class="scale"><span>${shortDay(days.at(0))}</span><span class="uptime">${uptime}</span><span>${shortDay(days.at(-1))}</span></span></summary>${dayList(days, made)}</details>`;
}

/** Dates and not "today": a page may be read on the day after the one on which it was made. */
function shortDay(day: Day | undefined): string {
  return day === undefined ? '' : dayText(day.date).slice(0, -5);
}

function legend(historyDays: number): string {
  const entries = [
    ['up', 'Up'],
    ['degraded', 'Degraded'],
    ['partial', 'Partly down'],
    ['down', 'Down'],
    ['none', 'No data'],
  ] as const;
  return `<ul class="legend" aria-label="Kinds of days"><li>${historyDays} days:</li>${entries.map(([level, words]) => `<li>${sampleBar(level)}${words}</li>`).join('')}</ul>`;
}
