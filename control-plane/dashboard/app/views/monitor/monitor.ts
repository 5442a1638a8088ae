import type { List } from '../../data/api.ts';
import type { Alert, Monitor } from '../../data/api-types.ts';
import { createCheckList } from '../../data/checks.ts';
import { createDayCache } from '../../data/day-cache.ts';
import { createAction } from '../../dom/action.ts';
import { type Content, type Description, element } from '../../dom/element.ts';
import { alertRow } from '../../parts/alert-row.ts';
import { uptimeBars, uptimeHistory } from '../../parts/bars.ts';
import type { Parameters, View, ViewContext, ViewDefinition } from '../../view.ts';
import { renderChecks } from './checks.ts';
import { renderHead } from './head.ts';
import { createLatency } from './latency.ts';
import { describeStatus } from './monitor-list.ts';

export const monitor: ViewDefinition = { pattern: '#/monitors/{id}', open };

const alertsShown = 10;

function open(context: ViewContext, parameters: Parameters): View {
  const { api, redraw } = context;
  const id = parameters.id ?? '';
  const days = createDayCache(api, uptimeBars, redraw);
  const checks = createCheckList(api, id);
  const latency = createLatency(api, id);
  const switching = createAction(redraw);
  const reading = createAction(redraw);
  let current: Monitor | null = null;
  let alerts: readonly Alert[] = [];

  const load = async (): Promise<void> => {
    const before = current?.status;
    const [loaded, loadedAlerts] = await Promise.all([
      api.get<Monitor>(`/v0/monitors/${id}`),
      readAlerts(context, id),
      checks.load(),
      latency.load(),
    ]);
    [current, alerts] = [loaded, loadedAlerts];
    days.request([loaded]);
    if (before !== undefined && before !== loaded.status) context.announce(describeStatus(loaded));
  };
  const pauseOrResume = async ({ enabled }: Monitor): Promise<void> => {
    current = await api.send<Monitor>('POST', `/v0/monitors/${id}/${enabled ? 'pause' : 'resume'}`);
    await context.refresh();
  };

  return {
    title: () => current?.name ?? 'Monitor',
    intervalMs: () => 4000,
    load,
    render: () => {
      if (current === null) return null;
      const canWrite = context.can('monitors:write');
      return [
        renderHead(current, api.nowMs(), switching, canWrite ? pauseOrResume : null),
        renderHistory(uptimeHistory(days.find(id), 'Loading…')),
        latency.render(checks.checks(), reading),
        context.can('alerts:read') && renderAlerts(alerts, api.nowMs()),
        renderChecks(current.regions, checks, reading, api.nowMs()),
      ];
    },
  };
}

/** The newest alerts; none if the token may not read them. */
async function readAlerts({ api, can }: ViewContext, monitorId: string): Promise<readonly Alert[]> {
  if (!can('alerts:read')) return [];
  return (await api.get<List<Alert>>('/v0/alerts', { monitor_id: monitorId, limit: alertsShown })).data;
}

function renderHistory(history: Content): Description {
  return element('section', { class: 'card', key: 'history' }, element('h2', {}, '90 days'), history);
}

function renderAlerts(alerts: readonly Alert[], nowMs: number): Description {
  const rows = alerts.map(alert => alertRow(alert, nowMs));
  const list =
    rows.length === 0 ? element('p', { class: 'hint' }, 'No alerts yet.') : element('ul', { class: 'cards' }, rows);
  return element('section', { class: 'card', key: 'alerts' }, element('h2', {}, 'Alerts'), list);
}
