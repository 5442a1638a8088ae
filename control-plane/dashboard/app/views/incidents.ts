import { actionButton, createAction, problemNote } from '../action.ts';
import type { List } from '../api.ts';
import { badge } from '../badge.ts';
import { type Content, element } from '../element.ts';
import type { Incident } from '../shapes.ts';
import { ago, spellLong } from '../time.ts';
import type { Place, View, ViewDefinition } from '../view.ts';
import { impactWords, lookOf } from '../words.ts';

export const incidents: ViewDefinition = { pattern: '#/incidents', navigation: 'Incidents', open };

const pageLimit = 50;
const filters: readonly (readonly [string, string])[] = [
  ['', 'all'],
  ['investigating,identified,monitoring', 'not resolved'],
  ['investigating', 'investigating'],
  ['identified', 'identified'],
  ['monitoring', 'monitoring'],
  ['resolved', 'resolved'],
];
const severities: readonly (readonly [string, string])[] = [
  ['', 'all'],
  ['p1', 'P1'],
  ['p2', 'P2'],
  ['p3', 'P3'],
];

function open(place: Place): View {
  const { api } = place;
  const older = createAction(place.redraw);
  let list: Incident[] = [];
  let cursor: string | null = null;
  const filter = { state: '', severity: '' };

  const load = async (): Promise<void> => {
    const asked = JSON.stringify(filter);
    const first = await api.get<List<Incident>>('/v0/incidents', { ...filter, limit: pageLimit });
    if (asked !== JSON.stringify(filter)) return;
    const ids = new Set(first.data.map(({ id }) => id));
    const kept = list.some(({ id }) => ids.has(id)) ? list.slice(pageLimit).filter(({ id }) => !ids.has(id)) : [];
    if (kept.length === 0) cursor = first.pagination.next_cursor;
    list = [...first.data, ...kept];
  };
  const more = async (): Promise<void> => {
    const next = await api.get<List<Incident>>('/v0/incidents', { ...filter, limit: pageLimit, cursor });
    const ids = new Set(list.map(({ id }) => id));
    list = [...list, ...next.data.filter(({ id }) => !ids.has(id))];
    cursor = next.pagination.next_cursor;
  };
  const select = (name: keyof typeof filter, label: string, choices: typeof filters): Content =>
    element(
      'label',
      {},
      `${label} `,
      element(
        'select',
        {
          onchange: (event: Event) => {
            filter[name] = (event.currentTarget as HTMLSelectElement).value;
            [list, cursor] = [[], null];
            void place.refresh();
          },
        },
        choices.map(([value, word]) => element('option', { value }, word)),
      ),
    );
  const row = (incident: Incident): Content => {
    const look = lookOf('incidents', incident.state);
    const lastedMs = Date.parse(incident.resolved_at ?? '') - Date.parse(incident.started_at);
    return element(
      'li',
      { key: incident.id, class: `card incident ${incident.state === 'resolved' ? 'quiet' : look.tone}` },
      element('div', { class: 'state' }, badge(look), badge(lookOf('severities', incident.severity))),
      element(
        'div',
        { class: 'what' },
        element('a', { class: 'name', href: `#/incidents/${incident.id}` }, incident.title),
        element('span', { class: 'reason' }, `Impact: ${impactWords[incident.impact] ?? incident.impact}`),
      ),
      element(
        'div',
        { class: 'times' },
        'began ',
        ago(incident.started_at, api.nowMs()),
        incident.resolved_at !== null && `, lasted ${spellLong(lastedMs)}`,
      ),
    );
  };
  return {
    title: () => 'Incidents',
    everyMs: () => 5000,
    load,
    render: () => [
      element(
        'div',
        { class: 'filters' },
        select('state', 'State', filters),
        select('severity', 'Severity', severities),
        place.can('incidents:write') &&
          element('a', { class: 'button primary', href: '#/incidents/new' }, 'New incident'),
      ),
      list.length === 0 && element('p', { class: 'empty' }, 'No incident fits. Subscribers have nothing to read.'),
      element('ul', { class: 'cards' }, list.map(row)),
      cursor !== null && actionButton('Older', older, more),
      problemNote(older.problem),
    ],
  };
}
