import type { List } from '../data/api.ts';
import type { Incident } from '../data/api-types.ts';
import { actionButton, createAction, problemNote } from '../dom/action.ts';
import { type Description, element } from '../dom/element.ts';
import { type Choices, filterSelect } from '../dom/form.ts';
import { badge } from '../parts/badge.ts';
import { impactLabel, incidentStateChoices, presentation, severityFilterChoices } from '../parts/labels.ts';
import { startedAndLasted } from '../parts/time.ts';
import type { View, ViewContext, ViewDefinition } from '../view.ts';

export const incidents: ViewDefinition = { pattern: '#/incidents', navigation: 'Incidents', open };

/** The incidents loaded so far, newest first; `cursor` leads to older ones. */
type IncidentPages = { incidents: readonly Incident[]; cursor: string | null };
type Filter = { state: string; severity: string };

const pageLimit = 50;
const noIncidents: IncidentPages = { incidents: [], cursor: null };
const stateFilterChoices: Choices = [
  ['', 'all'],
  ['investigating,identified,monitoring', 'unresolved'],
  ...incidentStateChoices.map(([state, label]) => [state, label.toLowerCase()] as const),
];

function open(context: ViewContext): View {
  const older = createAction(context.redraw);
  let pages = noIncidents;
  let filter: Filter = { state: '', severity: '' };

  const load = async (): Promise<void> => {
    const requested = filter;
    const newest = await readIncidents(context, requested, null);
    if (requested === filter) pages = mergeIncidents(pages, newest);
  };
  const loadOlder = async (): Promise<void> => {
    pages = appendOlder(pages, await readIncidents(context, filter, pages.cursor));
  };
  const setFilter = (change: Partial<Filter>) => {
    filter = { ...filter, ...change };
    pages = noIncidents;
    void context.refresh();
  };

  return {
    title: () => 'Incidents',
    intervalMs: () => 5000,
    load,
    render: () => [
      renderFilters(setFilter, context.can('incidents:write')),
      pages.incidents.length === 0 && element('p', { class: 'empty' }, 'No incidents match.'),
      element(
        'ul',
        { class: 'cards' },
        pages.incidents.map(incident => renderRow(incident, context.api.nowMs())),
      ),
      pages.cursor !== null && actionButton('Show older', older, loadOlder),
      problemNote(older.problem),
    ],
  };
}

function readIncidents({ api }: ViewContext, filter: Filter, cursor: string | null): Promise<List<Incident>> {
  return api.get<List<Incident>>('/v0/incidents', { ...filter, limit: pageLimit, cursor });
}

/** Replaces the newest page. Older pages stay while they overlap it; after a gap they are dropped. */
export function mergeIncidents({ incidents, cursor }: IncidentPages, newest: List<Incident>): IncidentPages {
  const ids = new Set(newest.data.map(({ id }) => id));
  const overlaps = incidents.some(({ id }) => ids.has(id));
  const older = overlaps ? incidents.slice(pageLimit).filter(({ id }) => !ids.has(id)) : [];
  return {
    incidents: [...newest.data, ...older],
    cursor: older.length === 0 ? newest.pagination.next_cursor : cursor,
  };
}

function appendOlder({ incidents }: IncidentPages, next: List<Incident>): IncidentPages {
  const ids = new Set(incidents.map(({ id }) => id));
  const added = next.data.filter(({ id }) => !ids.has(id));
  return { incidents: [...incidents, ...added], cursor: next.pagination.next_cursor };
}

function renderFilters(setFilter: (change: Partial<Filter>) => void, canPublish: boolean): Description {
  return element(
    'div',
    { class: 'filters' },
    filterSelect('State', stateFilterChoices, state => setFilter({ state })),
    filterSelect('Severity', severityFilterChoices, severity => setFilter({ severity })),
    canPublish && element('a', { class: 'button primary', href: '#/incidents/new' }, 'New incident'),
  );
}

export function renderRow(incident: Incident, nowMs: number): Description {
  const state = presentation('incidents', incident.state);
  return element(
    'li',
    { key: incident.id, class: `card incident ${incident.state === 'resolved' ? 'quiet' : state.tone}` },
    element('div', { class: 'state' }, badge(state), badge(presentation('severities', incident.severity))),
    element(
      'div',
      { class: 'what' },
      element('a', { class: 'name', href: `#/incidents/${incident.id}` }, incident.title),
      element('span', { class: 'reason' }, impactLabel(incident.impact)),
    ),
    element('div', { class: 'times' }, startedAndLasted(incident, nowMs)),
  );
}
