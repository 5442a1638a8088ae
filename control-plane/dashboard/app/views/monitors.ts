import { actionButton, createActions, problemNote } from '../action.ts';
import { badge } from '../badge.ts';
import { createDayStore } from '../day-store.ts';
import { type Content, type Description, element } from '../element.ts';
import type { Monitor } from '../shapes.ts';
import { ago } from '../time.ts';
import { percent } from '../uptime-days.ts';
import type { Place, View, ViewDefinition } from '../view.ts';
import { votesOf } from '../votes.ts';
import { lookOf, plural } from '../words.ts';
import { createMonitorForm } from './new-monitor.ts';

export const monitors: ViewDefinition = { pattern: '#/monitors', navigation: 'Monitors', open };

const worstFirst = ['down', 'degraded', 'undetermined', 'pending', 'up', 'paused'];
const perPage = 50;
const monitorsMax = 5000;

function open(place: Place): View {
  const { api, redraw } = place;
  const days = createDayStore(api, redraw);
  const actionOf = createActions(redraw);
  const newMonitor = createMonitorForm(place);
  let all: Monitor[] = [];
  let [text, status, page] = ['', '', 0];

  const found = (): Monitor[] => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return all.filter(monitor => {
      const searched = `${monitor.name} ${monitor.url} ${monitor.regions.join(' ')} ${monitor.id}`.toLowerCase();
      return (status === '' || monitor.status === status) && words.every(word => searched.includes(word));
    });
  };
  const shown = () => found().slice(page * perPage, (page + 1) * perPage);
  const narrow = (change: () => void) => {
    change();
    page = 0;
    days.want(shown());
    redraw();
  };
  const load = async (): Promise<void> => {
    const before = new Map(all.map(monitor => [monitor.id, monitor.status]));
    all = (await api.all<Monitor>('/v0/monitors', {}, monitorsMax)).sort(byUrgency);
    page = Math.min(page, Math.max(0, Math.ceil(found().length / perPage) - 1));
    days.want(shown());
    tellChanges(place, before, all);
  };
  const turn = (to: number) => {
    page = to;
    days.want(shown());
    redraw();
    document.getElementById('main')?.focus();
  };

  const row = (monitor: Monitor): Description => {
    const own = days.of(monitor.id);
    const action = actionOf(monitor.id);
    const verb = monitor.enabled ? 'pause' : 'resume';
    return element(
      'li',
      { key: monitor.id, class: `card monitor ${lookOf('verdicts', monitor.status).tone}` },
      element(
        'div',
        { class: 'state' },
        badge(lookOf('verdicts', monitor.status)),
        ago(monitor.status_since, api.nowMs()),
      ),
      element(
        'div',
        { class: 'what' },
        element('a', { class: 'name', href: `#/monitors/${monitor.id}` }, monitor.name),
        element('span', { class: 'url', title: monitor.url }, monitor.url),
      ),
      votesOf(monitor.votes, api.nowMs()),
      element(
        'div',
        { class: 'history' },
        own === null ? element('span', { class: 'hint' }, '90 days: loading…') : own.bars,
        own !== null &&
          element('span', { class: 'figure', title: '90 days' }, own.uptime === null ? 'no data' : percent(own.uptime)),
      ),
      element(
        'div',
        { class: 'do' },
        place.can('monitors:write') &&
          actionButton(
            monitor.enabled ? 'Pause' : 'Resume',
            action,
            async () => {
              await api.send('POST', `/v0/monitors/${monitor.id}/${verb}`);
              place.announce(`${monitor.name}: ${verb}d`);
              await place.refresh();
            },
            { class: 'quiet', 'aria-label': `${monitor.enabled ? 'Pause' : 'Resume'} ${monitor.name}` },
          ),
      ),
      problemNote(action.problem),
    );
  };

  const filters = (): Description => {
    const count = (wanted: string) => all.filter(monitor => monitor.status === wanted).length;
    const chip = (wanted: string): Content =>
      (count(wanted) > 0 || status === wanted) &&
      element(
        'button',
        {
          key: wanted,
          type: 'button',
          class: 'chip',
          'aria-pressed': String(status === wanted),
          onclick: () =>
            narrow(() => {
              status = status === wanted ? '' : wanted;
            }),
        },
        badge({
          ...lookOf('verdicts', wanted),
          word: `${count(wanted)} ${lookOf('verdicts', wanted).word.toLowerCase()}`,
        }),
      );
    return element(
      'div',
      { class: 'filters' },
      element('input', {
        type: 'search',
        'aria-label': 'Search monitors by name, address or region',
        placeholder: 'Search name, address, region',
        oninput: (event: Event) =>
          narrow(() => {
            text = (event.currentTarget as HTMLInputElement).value;
          }),
      }),
      element('div', { class: 'chips', role: 'group', 'aria-label': 'Filter by status' }, worstFirst.map(chip)),
      place.can('monitors:write') && all.length > 0 && newMonitor.button(),
    );
  };

  const pages = (total: number): Content => {
    const last = Math.ceil(total / perPage) - 1;
    if (last < 1) return null;
    const from = page * perPage + 1;
    return element(
      'nav',
      { class: 'pages', 'aria-label': 'Pages' },
      element(
        'button',
        { type: 'button', 'aria-disabled': page === 0 ? 'true' : null, onclick: () => page > 0 && turn(page - 1) },
        'Previous',
      ),
      element('span', {}, `${from}–${Math.min(total, from + perPage - 1)} of ${plural(total, 'monitor')}`),
      element(
        'button',
        {
          type: 'button',
          'aria-disabled': page === last ? 'true' : null,
          onclick: () => page < last && turn(page + 1),
        },
        'Next',
      ),
    );
  };

  return {
    title: () => 'Monitors',
    // Each poll reads every page of the list: the more there are, the rarer, so that the token's rate limit holds.
    everyMs: () => Math.max(4000, Math.ceil(all.length / 200) * 2500),
    load,
    render: () => {
      if (all.length === 0) return [newMonitor.dialog(), empty(place, newMonitor.button())];
      const matching = found();
      return [
        newMonitor.dialog(),
        filters(),
        matching.length === 0 && element('p', { class: 'empty' }, 'No monitor fits.'),
        element('ul', { class: 'cards monitors' }, matching.slice(page * perPage, (page + 1) * perPage).map(row)),
        pages(matching.length),
      ];
    },
  };
}

function byUrgency(left: Monitor, right: Monitor): number {
  const rank = ({ status }: Monitor) => (worstFirst.indexOf(status) + worstFirst.length) % worstFirst.length;
  return rank(left) - rank(right) || left.name.localeCompare(right.name) || left.id.localeCompare(right.id);
}

function tellChanges(place: Place, before: ReadonlyMap<string, string>, now: readonly Monitor[]): void {
  const changed = now.filter(({ id, status }) => before.has(id) && before.get(id) !== status);
  if (changed.length === 0) return;
  const told = changed
    .slice(0, 3)
    .map(({ name, status }) => `${name} is ${lookOf('verdicts', status).word.toLowerCase()}`);
  place.announce(`${told.join(', ')}${changed.length > 3 ? ` and ${changed.length - 3} more changed` : ''}`);
}

function empty(place: Place, button: Content): Description {
  const call = `curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' ${location.origin}/v0/monitors \\
  -d '{"name": "My site", "url": "https://example.com/", "interval_seconds": 30, "regions": ["eu-west"]}'`;
  return element(
    'section',
    { class: 'card empty' },
    element('h2', {}, 'No monitors yet'),
    element(
      'p',
      {},
      'A monitor is one check against one address, run from some regions. Make the first one here or by the API:',
    ),
    element('pre', { tabindex: '0' }, call),
    place.can('monitors:write') ? button : element('p', { class: 'hint' }, 'Your token may not make monitors.'),
  );
}
