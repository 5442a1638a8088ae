import type { Api } from '../../data/api.ts';
import type { CheckResult, Uptime } from '../../data/api-types.ts';
import type { Action } from '../../dom/action.ts';
import { type Description, element } from '../../dom/element.ts';
import { latencyPlot } from '../../parts/plot.ts';
import type { Plot } from '../../parts/plot-scale.ts';
import { hourlyPlot, regionPlot } from './latency-lines.ts';

const ranges: readonly [hours: number, label: string][] = [
  [24, '24 hours'],
  [168, '7 days'],
];
const freshMs = 60_000;
const hourMs = 3_600_000;

/** Latency by hour over the chosen time range, and of the latest checks by region. */
export function createLatency(api: Api, monitorId: string) {
  let hours = 24;
  let hourly: { plot: Plot; hours: number; loadedAt: number } | null = null;
  let byRegion: { checks: readonly CheckResult[]; plot: Plot } | null = null;

  const load = async (): Promise<void> => {
    if (hourly !== null && hourly.hours === hours && api.nowMs() - hourly.loadedAt < freshMs) return;
    const requested = hours;
    const from = new Date(api.nowMs() - (requested - 1) * hourMs).toISOString();
    const { data } = await api.get<Uptime>(`/v0/monitors/${monitorId}/uptime`, { granularity: 'hour', from });
    hourly = { plot: hourlyPlot(data, requested, api.nowMs()), hours: requested, loadedAt: api.nowMs() };
  };
  const choose = async (chosen: number): Promise<void> => {
    hours = chosen;
    await load();
  };
  /** The same object for the same checks: an unchanged plot is not drawn again. */
  const plotByRegion = (checks: readonly CheckResult[]): Plot => {
    if (byRegion?.checks !== checks) byRegion = { checks, plot: regionPlot(checks) };
    return byRegion.plot;
  };
  return {
    load,
    render: (checks: readonly CheckResult[], action: Action): Description =>
      element(
        'section',
        { class: 'card', key: 'latency' },
        element('h2', {}, 'Latency'),
        renderRanges(hours, chosen => void action.run(() => choose(chosen))),
        element('h3', {}, 'Median and 95th percentile by hour'),
        hourly !== null && latencyPlot('Latency by hour', hourly.plot),
        element('h3', {}, 'Latest checks by region'),
        renderRegionPlot(plotByRegion(checks)),
      ),
  };
}

function renderRanges(current: number, choose: (hours: number) => void): Description {
  const buttons = ranges.map(([hours, label]) => {
    const attributes = { type: 'button', class: 'chip', 'aria-pressed': String(hours === current) };
    return element('button', { ...attributes, onclick: () => choose(hours) }, label);
  });
  return element('div', { class: 'chips', role: 'group', 'aria-label': 'Time range' }, buttons);
}

function renderRegionPlot(plot: Plot): Description {
  if (plot.times.length === 0) return element('p', { class: 'hint' }, 'The latest checks got no response.');
  return latencyPlot('Latency of the latest checks', plot);
}
