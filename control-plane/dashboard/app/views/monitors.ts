import type { Monitor } from '../data/api-types.ts';
import { createDayCache } from '../data/day-cache.ts';
import { createActions } from '../dom/action.ts';
import { type Content, type Description, element } from '../dom/element.ts';
import { uptimeBars } from '../parts/bars.ts';
import type { View, ViewContext, ViewDefinition } from '../view.ts';
import {
  byUrgency,
  describeChanges,
  filterMonitors,
  type MonitorFilter,
  pageCount,
  pageOf,
} from './monitor/monitor-list.ts';
import { renderMonitorRow } from './monitor/monitor-row.ts';
import { renderPageButtons, renderStatusChips } from './monitor/monitors-controls.ts';
import { createMonitorDialog } from './monitor/new-monitor-dialog.ts';

export const monitors: ViewDefinition = { pattern: '#/monitors', navigation: 'Monitors', open };

const monitorsMax = 5000;

function open(context: ViewContext): View {
  const { api, redraw } = context;
  const days = createDayCache(api, uptimeBars, redraw);
  const actionOf = createActions(redraw);
  const newMonitor = createMonitorDialog(context);
  let all: readonly Monitor[] = [];
  let filter: MonitorFilter = { text: '', status: null };
  let page = 0;

  const matching = () => filterMonitors(all, filter);
  const showPage = (wanted: number) => {
    page = wanted;
    days.request(pageOf(matching(), page));
    redraw();
  };
  const setFilter = (change: Partial<MonitorFilter>) => {
    filter = { ...filter, ...change };
    showPage(0);
  };
  const turnPage = (wanted: number) => {
    showPage(wanted);
    document.getElementById('main')?.focus();
  };
  const load = async (): Promise<void> => {
    const before = all;
    all = (await api.all<Monitor>('/v0/monitors', {}, monitorsMax)).sort(byUrgency);
    page = Math.min(page, Math.max(0, pageCount(matching().length) - 1));
    days.request(pageOf(matching(), page));
    const changes = describeChanges(before, all);
    if (changes !== null) context.announce(changes);
  };
  const row = (monitor: Monitor) => renderMonitorRow(monitor, days.find(monitor.id), context, actionOf(monitor.id));

  return {
    title: () => 'Monitors',
    // Each refresh reads every page of the list: the longer the list, the longer the interval, to stay below the limit.
    intervalMs: () => Math.max(4000, Math.ceil(all.length / 200) * 2500),
    load,
    render: () => {
      const canWrite = context.can('monitors:write');
      if (all.length === 0)
        return [newMonitor.dialog(), renderWithoutMonitors(location.origin, canWrite && newMonitor.button())];
      const found = matching();
      return [
        newMonitor.dialog(),
        renderFilters(renderStatusChips(all, filter, setFilter), setFilter, canWrite && newMonitor.button()),
        found.length === 0 && element('p', { class: 'empty' }, 'No monitors match.'),
        element('ul', { class: 'cards monitors' }, pageOf(found, page).map(row)),
        renderPageButtons(found.length, page, turnPage),
      ];
    },
  };
}

function renderFilters(
  chips: Description,
  setFilter: (change: Partial<MonitorFilter>) => void,
  button: Content,
): Description {
  const search = {
    type: 'search',
    'aria-label': 'Search monitors by name, URL or region',
    placeholder: 'Search by name, URL or region',
    oninput: (event: Event) => setFilter({ text: (event.currentTarget as HTMLInputElement).value }),
  };
  return element('div', { class: 'filters' }, element('input', search), chips, button);
}

/** `button` is false if the token may not create monitors. */
export function renderWithoutMonitors(origin: string, button: Content): Description {
  const body = '{"name": "My site", "url": "https://example.com/", "interval_seconds": 30, "regions": ["eu-west"]}';
  const call = [
    `curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' ${origin}/v0/monitors \\`,
    `  -d '${body}'`,
  ];
  return element(
    'section',
    { class: 'card empty' },
    element('h2', {}, 'No monitors yet'),
    element('p', {}, 'A monitor checks one URL from one or more regions. Create your first one here or with the API:'),
    element('pre', { tabindex: '0' }, call.join('\n')),
    button || element('p', { class: 'hint' }, 'This token does not have permission to create monitors.'),
  );
}
