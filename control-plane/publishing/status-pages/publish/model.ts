import { dayMs } from '#shared/duration.ts';
import { impacts, severities } from '#shared/vocabulary.ts';
import { shownStatus, worstOf } from '../../../monitoring/components/status.ts';
import type { Row } from '../../../monitoring/verdicts/spans.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { lineText } from '../../../platform/markup/escape.ts';
import { pageUrl } from '../hosts/own-address.ts';
import {
  type ComponentFacts,
  hasAtMostChanges,
  readComponents,
  readIncidentSpans,
  readTimelines,
} from '../read-store.ts';
import { readLogo } from '../store.ts';
import { type Calendar, calendarOf, daysBySet, mergesOf } from './days.ts';
import { daysThatFit, fewerDays } from './fit-days.ts';
import { type IncidentSpan, reportedDays } from './incident-days.ts';
import { readCurrentIncidents } from './incident-read-store.ts';
import { readMaintenances } from './maintenance-read-store.ts';
import type { Logo, PageComponent, PageIncident, PageMaintenance, PageModel, PageSettings } from './page-model.ts';
import { withinTextBudget } from './shorten.ts';
import type { Texts } from './texts.ts';

const recentMs = 14 * dayMs;
/**
 * Of all monitors of a page, each counted for each set of monitors that it is merged in. Beyond, the page shows fewer
 * days: a monitor that flaps all the time has 1.5 million in a year, and 300 components may share it.
 */
const changesMax = 200_000;

/** How much of a page is read and rendered. A page that exceeds its budget of time is tried with the next level. */
export type Detail = { days: number; updates: number };
export const details: readonly [Detail, ...Detail[]] = [
  { days: 365, updates: 20 },
  { days: 30, updates: 5 },
  { days: 0, updates: 1 },
];

/** The page's share of bytes for days, and for texts of open incidents. A document has at most 2 MiB in all. */
const daysBytesMax = 1_300_000;
const textBytesMax = 500_000;

/** Reads what a page shows now, as much as the level of detail and a document's maximum length allow. */
export async function readModel(
  sql: Sql,
  page: PageSettings,
  context: { baseUrl: string; canMail: boolean; nowMs: number; texts: Texts; detail?: Detail },
): Promise<PageModel> {
  const { baseUrl, canMail, nowMs, texts, detail = details[0] } = context;
  const facts = await readComponents(sql, page.id, nowMs);
  const maintenances = await readMaintenances(sql, page, { nowMs, pastMs: recentMs }, texts);
  const current = await readCurrentIncidents(sql, page.id, nowMs - recentMs, texts, detail.updates);
  const wanted = Math.min(page.historyDays, detail.days);
  const measured = wanted === 0 ? [] : facts.filter(component => component.show_uptime);
  const merges = mergesOf(measured.map(monitorIdsOf));
  const daysMax = await daysToRead(sql, merges, page.timezone, wanted, nowMs);
  const startMs = calendarOf(page.timezone, daysMax, nowMs).bounds[0] ?? nowMs;
  const shown = daysMax === 0 ? [] : measured;
  const timelines = await readTimelines(sql, [...merges.keys()], startMs, nowMs);
  const spans = shown.length === 0 ? new Map<string, IncidentSpan[]>() : await readIncidentSpans(sql, page.id, startMs);
  const logo = page.logo === null ? null : await readLogo(sql, page.id);
  const url = pageUrl(baseUrl, page);
  const assemble = (days: number) =>
    assembleModel({
      // A logo that was taken away since the page's settings were read would be a broken picture.
      page: { ...page, logo: logo === null ? null : page.logo, name: lineText(page.name), historyDays: days },
      url,
      facts,
      current,
      maintenances,
      calendar: calendarOf(page.timezone, days, nowMs),
      timelines,
      spans,
      logo,
      nowMs,
    });
  const model = assemble(daysMax);
  const days = daysThatFit(model.components, daysBytesMax);
  const fitting = days < daysMax && model.components.some(({ days }) => days !== null) ? assemble(days) : model;
  return { ...fitting, canMail, openIncidents: withinTextBudget(fitting.openIncidents, textBytesMax) };
}

/** How many of the latest days have a history of a length that can be read. */
async function daysToRead(
  sql: Sql,
  merges: ReadonlyMap<string, number>,
  timezone: string,
  wanted: number,
  nowMs: number,
): Promise<number> {
  for (const days of fewerDays(wanted)) {
    const startMs = calendarOf(timezone, days, nowMs).bounds[0] ?? nowMs;
    if (await hasAtMostChanges(sql, merges, startMs, changesMax)) return days;
  }
  return 0;
}

/** Computes the model from the rows that were read. Pure. */
export function assembleModel(read: {
  page: PageSettings;
  url: string;
  facts: readonly ComponentFacts[];
  current: readonly PageIncident[];
  maintenances?: readonly PageMaintenance[];
  calendar: Calendar;
  timelines: ReadonlyMap<string, readonly Row[]>;
  /** The incidents of each component by its id. */
  spans: ReadonlyMap<string, readonly IncidentSpan[]>;
  logo: Logo | null;
  nowMs: number;
}): PageModel {
  const { page, url, facts, current, maintenances = [], calendar, timelines, spans, logo, nowMs } = read;
  const openIncidents = current.filter(incident => incident.resolvedAt === null).sort(byWeight);
  const measuredDays = daysBySet(timelines, calendar);
  const daysFor = (fact: ComponentFacts) => shownDays(fact, calendar, measuredDays, spans.get(fact.id) ?? []);
  const components = inGroups(facts.map(fact => toComponent(fact, openIncidents, daysFor(fact))));
  const ids = new Set(components.map(component => component.id));
  const general = openIncidents.filter(incident => !incident.components.some(component => ids.has(component.id)));
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
    maintenances,
    recentIncidents: current.filter(incident => incident.resolvedAt !== null),
    logo,
  };
}

/** What visitors suffer most comes first: the order is that of the impact, which they see, then of the severity. */
function byWeight(left: PageIncident, right: PageIncident): number {
  return (
    impacts.indexOf(right.impact) - impacts.indexOf(left.impact) ||
    severities.indexOf(left.severity) - severities.indexOf(right.severity) ||
    right.startedAt - left.startedAt
  );
}

type ShownDays = Pick<PageComponent, 'days' | 'uptime' | 'incidentCount'>;

/** Measured by monitors, or reported by incidents where there is no monitor. */
function shownDays(
  fact: ComponentFacts,
  calendar: Calendar,
  measuredDays: ReturnType<typeof daysBySet>,
  spans: readonly IncidentSpan[],
): ShownDays {
  if (!fact.show_uptime || calendar.dates.length === 0) return { days: null, uptime: null, incidentCount: null };
  if (fact.monitors.length === 0)
    return { ...reportedDays(spans, calendar, { createdAt: fact.created_at, status: fact.status }), uptime: null };
  return { ...measuredDays(monitorIdsOf(fact)), incidentCount: null };
}

function monitorIdsOf({ monitors }: ComponentFacts): string[] {
  return monitors.map(monitor => monitor.id);
}

function toComponent(fact: ComponentFacts, open: readonly PageIncident[], shown: ShownDays): PageComponent {
  const impacts = open
    .filter(incident => incident.components.some(component => component.id === fact.id))
    .map(incident => incident.impact);
  const verdicts = fact.monitors.map(monitor => monitor.verdict);
  return {
    id: fact.id,
    name: lineText(fact.name),
    description: fact.description,
    group: fact.group_name === null ? null : lineText(fact.group_name),
    position: fact.position,
    status: shownStatus(fact.status, impacts, verdicts, fact.in_scope),
    createdAt: fact.created_at,
    updatedAt: fact.updated_at,
    ...shown,
  };
}

/** Moves components next to the first one of their group. */
function inGroups(components: readonly PageComponent[]): PageComponent[] {
  const groups = Map.groupBy(components, component => component.group ?? component);
  return [...groups.values()].flat();
}
