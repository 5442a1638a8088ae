import type { List } from '../data/api.ts';
import type { Alert } from '../data/api-types.ts';
import { actionButton, createAction, createActions, problemNote } from '../dom/action.ts';
import { type Content, element } from '../dom/element.ts';
import { filterSelect } from '../dom/form.ts';
import { alertActions } from '../parts/alert-actions.ts';
import { alertRow } from '../parts/alert-row.ts';
import { plural, severityFilterChoices } from '../parts/labels.ts';
import { createPromoteDialog } from '../parts/promote-dialog.ts';
import type { View, ViewContext, ViewDefinition } from '../view.ts';

export const alerts: ViewDefinition = { pattern: '#/alerts', navigation: 'Alerts', open };

/** Unresolved alerts, open ones first, and the resolved ones loaded so far; `cursor` leads to older ones. */
export type AlertLists = { unresolved: readonly Alert[]; resolved: readonly Alert[]; cursor: string | null };

const pageLimit = 50;
const noAlerts: AlertLists = { unresolved: [], resolved: [], cursor: null };

function open(context: ViewContext): View {
  const actionOf = createActions(context.redraw);
  const older = createAction(context.redraw);
  const dialog = createPromoteDialog(context);
  let lists = noAlerts;
  let severity = '';
  let isFirst = true;

  const load = async (): Promise<void> => {
    const [before, requested] = [lists, severity];
    const [unresolved, newest] = await readAlerts(context, requested);
    if (requested !== severity) return;
    lists = mergeAlerts(lists, unresolved, newest);
    if (!isFirst) announceNew(context, before.unresolved, lists.unresolved);
    isFirst = false;
  };
  const loadOlder = async (): Promise<void> => {
    const { data, pagination } = await readResolved(context, severity, lists.cursor);
    lists = { ...lists, resolved: [...lists.resolved, ...data], cursor: pagination.next_cursor };
  };
  const setSeverity = (value: string) => {
    [severity, lists, isFirst] = [value, noAlerts, true];
    void context.refresh();
  };
  const onChange = (changed: Alert) => {
    lists = { ...lists, unresolved: lists.unresolved.map(alert => (alert.id === changed.id ? changed : alert)) };
  };
  const row = (alert: Alert): Content => {
    const action = actionOf(alert.id);
    const actions = alertActions(alert, context, { action, promote: dialog.open, onChange });
    return alertRow(alert, context.api.nowMs(), actions, problemNote(action.problem));
  };

  return {
    title: () => 'Alerts',
    intervalMs: () => 4000,
    load,
    render: () => [
      dialog.render(),
      element('div', { class: 'filters' }, filterSelect('Severity', severityFilterChoices, setSeverity)),
      renderLists(lists, row),
      lists.cursor !== null && actionButton('Show older', older, loadOlder),
      problemNote(older.problem),
    ],
  };
}

function readAlerts({ api }: ViewContext, severity: string): Promise<[Alert[], List<Alert>]> {
  return Promise.all([
    api.all<Alert>('/v0/alerts', { state: 'open,acknowledged', severity }),
    api.get<List<Alert>>('/v0/alerts', { state: 'resolved', severity, limit: pageLimit }),
  ]);
}

function readResolved({ api }: ViewContext, severity: string, cursor: string | null): Promise<List<Alert>> {
  return api.get<List<Alert>>('/v0/alerts', { state: 'resolved', severity, limit: pageLimit, cursor });
}

/** Replaces the unresolved alerts and the newest resolved ones; keeps older pages and their cursor. */
export function mergeAlerts(lists: AlertLists, unresolved: readonly Alert[], newest: List<Alert>): AlertLists {
  const ids = new Set(newest.data.map(({ id }) => id));
  const older = lists.resolved.filter(({ id }) => !ids.has(id));
  return {
    unresolved: unresolved.toSorted((left, right) => Number(right.state === 'open') - Number(left.state === 'open')),
    resolved: [...newest.data, ...older],
    cursor: older.length === 0 ? newest.pagination.next_cursor : lists.cursor,
  };
}

function announceNew(context: ViewContext, before: readonly Alert[], now: readonly Alert[]): void {
  const ids = new Set(before.map(({ id }) => id));
  const opened = now.filter(({ id, state }) => state === 'open' && !ids.has(id));
  if (opened.length > 0) context.announce(`New alert: ${opened.map(({ title }) => title).join(', ')}`);
}

export function renderLists({ unresolved, resolved }: AlertLists, row: (alert: Alert) => Content): Content {
  const openCount = unresolved.filter(({ state }) => state === 'open').length;
  const heading = openCount === 0 ? 'No open alerts' : plural(openCount, 'open alert');
  const hint = 'An alert opens when a quorum of regions reports that a monitor is down.';
  return [
    element('h2', { key: 'now' }, heading),
    unresolved.length === 0 && element('p', { class: 'hint', key: 'none' }, hint),
    element('ul', { class: 'cards', key: 'current' }, unresolved.map(row)),
    resolved.length > 0 && element('h2', { key: 'before' }, 'Resolved'),
    element('ul', { class: 'cards', key: 'resolved' }, resolved.map(row)),
  ];
}
