import { actionButton, createAction, problemNote } from '../action.ts';
import { alertRow } from '../alert-row.ts';
import type { List } from '../api.ts';
import { badge } from '../badge.ts';
import { createCheckList } from '../check-list.ts';
import { checkTable } from '../check-table.ts';
import { createDayStore } from '../day-store.ts';
import { type Content, type Description, element } from '../element.ts';
import { latencyPlot, type Plot } from '../latency-plot.ts';
import { hourlyPlot, regionPlot } from '../monitor-latency.ts';
import type { Alert, Check, Monitor, Uptime } from '../shapes.ts';
import { ago, at } from '../time.ts';
import { percent } from '../uptime-days.ts';
import type { Place, View, ViewDefinition } from '../view.ts';
import { votesOf } from '../votes.ts';
import { lookOf } from '../words.ts';

export const monitor: ViewDefinition = { pattern: '#/monitors/{id}', open };

const hourChoices: readonly [number, string][] = [
  [24, '24 hours'],
  [168, '7 days'],
];
const uptimeFreshMs = 60_000;

function open(place: Place, parameters: Readonly<Record<string, string>>): View {
  const { api, redraw } = place;
  const id = parameters.id ?? '';
  const days = createDayStore(api, redraw);
  const checks = createCheckList(api, id);
  const switching = createAction(redraw);
  const reading = createAction(redraw);
  let shown: Monitor | null = null;
  let alerts: readonly Alert[] = [];
  let hours = 24;
  let hourly: { plot: Plot; hours: number; loadedAt: number } | null = null;
  let byRegion: { checks: readonly Check[]; plot: Plot } | null = null;

  const loadHours = async (): Promise<void> => {
    if (hourly !== null && hourly.hours === hours && api.nowMs() - hourly.loadedAt < uptimeFreshMs) return;
    const asked = hours;
    const from = new Date(api.nowMs() - (asked - 1) * 3_600_000).toISOString();
    const { data } = await api.get<Uptime>(`/v0/monitors/${id}/uptime`, { granularity: 'hour', from });
    hourly = { plot: hourlyPlot(data, asked, api.nowMs()), hours: asked, loadedAt: api.nowMs() };
  };
  const load = async (): Promise<void> => {
    const before = shown?.status;
    const [found] = await Promise.all([
      api.get<Monitor>(`/v0/monitors/${id}`),
      checks.load(),
      loadHours(),
      loadAlerts(),
    ]);
    shown = found;
    days.want([found]);
    if (before !== undefined && before !== found.status)
      place.announce(`${found.name} is ${lookOf('verdicts', found.status).word.toLowerCase()}`);
  };
  const loadAlerts = async (): Promise<void> => {
    if (!place.can('alerts:read')) return;
    alerts = (await api.get<List<Alert>>('/v0/alerts', { monitor_id: id, limit: 10 })).data;
  };
  const plotOfRegions = (): Plot => {
    if (byRegion?.checks !== checks.checks()) byRegion = { checks: checks.checks(), plot: regionPlot(checks.checks()) };
    return byRegion.plot;
  };

  const turn = async (current: Monitor): Promise<void> => {
    shown = await api.send<Monitor>('POST', `/v0/monitors/${id}/${current.enabled ? 'pause' : 'resume'}`);
    await place.refresh();
  };

  const head = (current: Monitor): Description =>
    element(
      'section',
      { class: `card monitor-head ${lookOf('verdicts', current.status).tone}`, key: 'head' },
      element(
        'div',
        { class: 'state' },
        badge(lookOf('verdicts', current.status)),
        element('span', {}, 'since ', at(current.status_since), ', ', ago(current.status_since, api.nowMs())),
      ),
      element(
        'p',
        { class: 'url' },
        `${current.method} `,
        element('a', { href: current.url, rel: 'noreferrer', target: '_blank' }, current.url),
        ` every ${current.interval_seconds} s, down when ${current.quorum} of ${current.regions.length} regions say so`,
      ),
      votesOf(current.votes, api.nowMs()),
      place.can('monitors:write') &&
        actionButton(current.enabled ? 'Pause' : 'Resume', switching, () => turn(current), { class: 'corner' }),
      problemNote(switching.problem),
    );

  const history = (): Description => {
    const own = days.of(id);
    return element(
      'section',
      { class: 'card', key: 'history' },
      element('h2', {}, '90 days'),
      element(
        'div',
        { class: 'history' },
        own === null ? element('span', { class: 'hint' }, 'Loading…') : own.bars,
        own !== null && element('span', { class: 'figure' }, own.uptime === null ? 'no data' : percent(own.uptime)),
      ),
    );
  };

  const latency = (): Description =>
    element(
      'section',
      { class: 'card', key: 'latency' },
      element('h2', {}, 'Latency'),
      element(
        'div',
        { class: 'chips', role: 'group', 'aria-label': 'Time shown' },
        hourChoices.map(([count, label]) =>
          element(
            'button',
            {
              type: 'button',
              class: 'chip',
              'aria-pressed': String(hours === count),
              onclick: () =>
                void reading.run(async () => {
                  hours = count;
                  await loadHours();
                }),
            },
            label,
          ),
        ),
      ),
      element('h3', {}, 'Median and 95th percentile by hour'),
      hourly !== null && latencyPlot('Latency by hour', hourly.plot),
      element('h3', {}, 'Last checks by region'),
      plotOfRegions().times.length === 0
        ? element('p', { class: 'hint' }, 'None of the last checks was answered.')
        : latencyPlot('Latency of the last checks', plotOfRegions()),
    );

  const select = (name: 'region' | 'status', label: string, values: readonly (readonly [string, string])[]): Content =>
    element(
      'label',
      {},
      `${label} `,
      element(
        'select',
        {
          value: checks.filter()[name],
          onchange: (event: Event) => {
            checks.narrow({ [name]: (event.currentTarget as HTMLSelectElement).value });
            void reading.run(() => checks.load());
          },
        },
        values.map(([value, word]) => element('option', { value }, word)),
      ),
    );

  const results = (current: Monitor): Description =>
    element(
      'section',
      { class: 'card', key: 'checks' },
      element('h2', {}, 'Last checks'),
      element(
        'div',
        { class: 'filters' },
        select('region', 'Region', [['', 'all'], ...current.regions.map(region => [region, region] as const)]),
        select('status', 'Result', [
          ['', 'all'],
          ['ok', 'OK'],
          ['warn', 'Warning'],
          ['err', 'Failed'],
        ]),
      ),
      checks.checks().length === 0
        ? element('p', { class: 'empty' }, reading.running ? 'Loading…' : 'No check fits, or none has come yet.')
        : checkTable(checks.checks(), api.nowMs()),
      checks.hasOlder() && actionButton('Older', reading, () => checks.older(), { class: 'older' }),
      problemNote(reading.problem),
    );

  return {
    title: () => shown?.name ?? 'Monitor',
    everyMs: () => 4000,
    load,
    render: () => {
      if (shown === null) return null;
      const list = alerts.map(alert => alertRow(alert, api.nowMs()));
      return [
        head(shown),
        history(),
        latency(),
        place.can('alerts:read') &&
          element(
            'section',
            { class: 'card', key: 'alerts' },
            element('h2', {}, 'Alerts'),
            list.length === 0
              ? element('p', { class: 'hint' }, 'None so far.')
              : element('ul', { class: 'cards' }, list),
          ),
        results(shown),
      ];
    },
  };
}
