import { actionButton, createAction, createActions, problemNote } from '../action.ts';
import { alertActions } from '../alert-actions.ts';
import { alertRow } from '../alert-row.ts';
import type { List } from '../api.ts';
import { type Content, element } from '../element.ts';
import { createPromoteDialog } from '../promote-dialog.ts';
import type { Alert } from '../shapes.ts';
import type { Place, View, ViewDefinition } from '../view.ts';
import { plural } from '../words.ts';

export const alerts: ViewDefinition = { pattern: '#/alerts', navigation: 'Alerts', open };

const pageLimit = 50;

function open(place: Place): View {
  const { api, redraw } = place;
  const actionOf = createActions(redraw);
  const older = createAction(redraw);
  const promote = createPromoteDialog(place);
  let current: Alert[] = [];
  let resolved: Alert[] = [];
  let cursor: string | null = null;
  let severity = '';
  let isFirst = true;

  const load = async (): Promise<void> => {
    const known = new Set(current.map(({ id }) => id));
    const asked = severity;
    const [unresolved, done] = await Promise.all([
      api.all<Alert>('/v0/alerts', { state: 'open,acknowledged', severity }),
      api.get<List<Alert>>('/v0/alerts', { state: 'resolved', severity, limit: pageLimit }),
    ]);
    if (asked !== severity) return;
    current = unresolved.sort((left, right) => Number(right.state === 'open') - Number(left.state === 'open'));
    const ids = new Set(done.data.map(({ id }) => id));
    const kept = resolved.filter(({ id }) => !ids.has(id));
    if (kept.length === 0) cursor = done.pagination.next_cursor;
    resolved = [...done.data, ...kept];
    const opened = current.filter(({ id, state }) => state === 'open' && !known.has(id));
    if (!isFirst && opened.length > 0) place.announce(`New alert: ${opened.map(({ title }) => title).join(', ')}`);
    isFirst = false;
  };
  const more = async (): Promise<void> => {
    const list = await api.get<List<Alert>>('/v0/alerts', { state: 'resolved', severity, limit: pageLimit, cursor });
    resolved = [...resolved, ...list.data];
    cursor = list.pagination.next_cursor;
  };
  const row = (alert: Alert): Content => {
    const action = actionOf(alert.id);
    const changed = (answer: Alert) => {
      current = current.map(other => (other.id === answer.id ? answer : other));
    };
    const actions = alertActions(alert, place, action, promote.open, changed);
    return alertRow(alert, api.nowMs(), actions, problemNote(action.problem));
  };
  const filters = (): Content =>
    element(
      'div',
      { class: 'filters' },
      element(
        'label',
        {},
        'Severity ',
        element(
          'select',
          {
            onchange: (event: Event) => {
              severity = (event.currentTarget as HTMLSelectElement).value;
              [current, resolved, cursor, isFirst] = [[], [], null, true];
              void place.refresh();
            },
          },
          [
            ['', 'all'],
            ['p1', 'P1'],
            ['p2', 'P2'],
            ['p3', 'P3'],
          ].map(([value, word]) => element('option', { value }, word)),
        ),
      ),
    );

  return {
    title: () => 'Alerts',
    everyMs: () => 4000,
    load,
    render: () => {
      const openCount = current.filter(({ state }) => state === 'open').length;
      return [
        promote.render(),
        filters(),
        element(
          'h2',
          { key: 'now' },
          current.length === 0 ? 'Nothing needs you' : `${plural(openCount, 'open alert')}`,
        ),
        current.length === 0 &&
          element(
            'p',
            { class: 'hint', key: 'none' },
            'An alert opens when a quorum of regions says that a monitor is down.',
          ),
        element('ul', { class: 'cards', key: 'current' }, current.map(row)),
        resolved.length > 0 && element('h2', { key: 'before' }, 'Resolved'),
        element('ul', { class: 'cards', key: 'resolved' }, resolved.map(row)),
        cursor !== null && actionButton('Older', older, more),
        problemNote(older.problem),
      ];
    },
  };
}
