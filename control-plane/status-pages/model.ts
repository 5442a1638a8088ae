import { shownStatus, worstOf } from '../components/status.ts';
import type { Sql } from '../db/sql.ts';
import type { Row } from '../uptime/uptime.ts';
import { type Calendar, calendarOf, daysOf, mergeTimelines } from './days.ts';
import type { PageComponent, PageIncident, PageModel, PageSettings } from './page-model.ts';
import { type ComponentFacts, readComponents, readCurrentIncidents, readTimelines } from './read-store.ts';
import { pageUrl } from './status-page.ts';

const recentMs = 14 * 86_400_000;

/** All that a page shows now. */
export async function readModel(sql: Sql, page: PageSettings, baseUrl: string, nowMs: number): Promise<PageModel> {
  const facts = await readComponents(sql, page.id);
  const current = await readCurrentIncidents(sql, page.id, nowMs - recentMs);
  const calendar = calendarOf(page.timezone, page.historyDays, nowMs);
  const shown = facts.filter(component => component.show_uptime).flatMap(component => component.monitors);
  const timelines = await readTimelines(
    sql,
    [...new Set(shown.map(monitor => monitor.id))],
    calendar.bounds[0] ?? nowMs,
  );
  return assembleModel({ page, url: pageUrl(baseUrl, page.slug), facts, current, calendar, timelines, nowMs });
}

/** Pure: the model from what was read. */
export function assembleModel(read: {
  page: PageSettings;
  url: string;
  facts: readonly ComponentFacts[];
  current: readonly PageIncident[];
  calendar: Calendar;
  timelines: ReadonlyMap<string, readonly Row[]>;
  nowMs: number;
}): PageModel {
  const { page, url, facts, current, calendar, timelines, nowMs } = read;
  const openIncidents = current.filter(incident => incident.resolvedAt === null);
  const components = inGroups(facts.map(fact => toComponent(fact, openIncidents, calendar, timelines)));
  const named = new Set(components.map(component => component.id));
  const general = openIncidents.filter(incident => !incident.components.some(component => named.has(component.id)));
  return {
    page,
    url,
    asOf: nowMs,
    status: worstOf([
      ...components.map(component => component.status),
      ...general.map(incident => shownStatus('operational', [incident.impact], [])),
    ]),
    components,
    openIncidents,
    recentIncidents: current.filter(incident => incident.resolvedAt !== null),
  };
}

function toComponent(
  fact: ComponentFacts,
  open: readonly PageIncident[],
  calendar: Calendar,
  timelines: ReadonlyMap<string, readonly Row[]>,
): PageComponent {
  const impacts = open
    .filter(incident => incident.components.some(component => component.id === fact.id))
    .map(incident => incident.impact);
  const verdicts = fact.monitors.map(monitor => monitor.verdict);
  const measured = fact.show_uptime && fact.monitors.length > 0;
  const rows = measured ? mergeTimelines(fact.monitors.map(monitor => timelines.get(monitor.id) ?? [])) : [];
  const { days, uptime } = measured ? daysOf(rows, calendar) : { days: null, uptime: null };
  return {
    id: fact.id,
    name: fact.name,
    description: fact.description,
    group: fact.group_name,
    position: fact.position,
    status: shownStatus(fact.status, impacts, verdicts),
    createdAt: fact.created_at,
    updatedAt: fact.updated_at,
    days,
    uptime,
  };
}

/** A group stands where its first component does, with all of its components. */
function inGroups(components: readonly PageComponent[]): PageComponent[] {
  const places = new Map<string, number>();
  const placeOf = (component: PageComponent, index: number) => {
    if (component.group === null) return index;
    const place = places.get(component.group) ?? index;
    places.set(component.group, place);
    return place;
  };
  return components
    .map((component, index) => ({ component, place: placeOf(component, index) }))
    .sort((left, right) => left.place - right.place)
    .map(({ component }) => component);
}
