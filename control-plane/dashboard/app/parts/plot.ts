import { type Description, element } from '../dom/element.ts';
import UPlot from '../uplot.js';
import { describePlot, latencyRange, type Plot, timeLabels } from './plot-scale.ts';

const height = 220;
const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
const colourCount = 6;

/** Latency in milliseconds over time, with a summary for screen readers. */
export function latencyPlot(name: string, plot: Plot): Description {
  return element('div', {
    key: `plot ${name}`,
    class: 'plot',
    role: 'img',
    'aria-label': `${name}. ${describePlot(plot)}`,
    island: { data: plot, mount },
  });
}

function mount(host: HTMLElement): { update(data: unknown): void; remove(): void } {
  let plot: Plot | null = null;
  let drawn: UPlot | null = null;
  const draw = (): void => {
    drawn?.destroy();
    drawn = plot === null || host.clientWidth === 0 ? null : new UPlot(optionsOf(plot, host), dataOf(plot), host);
  };
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const resized = new ResizeObserver(() => {
    if (drawn === null) draw();
    else drawn.setSize({ width: host.clientWidth, height });
  });
  resized.observe(host);
  dark.addEventListener('change', draw);
  return {
    update: data => {
      const next = data as Plot;
      if (next === plot) return;
      const sameLines = linesOf(plot) === linesOf(next);
      plot = next;
      if (drawn !== null && sameLines) drawn.setData(dataOf(next));
      else draw();
    },
    remove: () => {
      resized.disconnect();
      dark.removeEventListener('change', draw);
      drawn?.destroy();
    },
  };
}

function linesOf(plot: Plot | null): string {
  return plot === null ? '' : plot.lines.map(line => line.label).join('\n');
}

function dataOf(plot: Plot): UPlot.AlignedData {
  return [plot.times, ...plot.lines.map(line => line.values)] as unknown as UPlot.AlignedData;
}

function optionsOf(plot: Plot, host: HTMLElement): UPlot.Options {
  const style = getComputedStyle(host);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: colour('muted'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
  return {
    width: host.clientWidth,
    height,
    tzDate: seconds => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    cursor: { drag: { x: false, y: false } },
    scales: { y: { range: (_, __, max) => latencyRange(max) } },
    axes: [
      { ...axis, values: (_, ticks) => timeLabels(ticks) },
      { ...axis, size: 64, values: (_, ticks) => ticks.map(tick => `${tick} ms`) },
    ],
    series: [
      { label: 'UTC', value: '{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}' },
      ...plot.lines.map((line, index) => ({
        label: line.label,
        stroke: colour(`series-${(index % colourCount) + 1}`),
        dash: dashes[Math.floor(index / 2) % dashes.length] ?? [],
        width: 2,
        spanGaps: plot.joined,
        points: { show: plot.times.length < 60, size: 4 },
        value: (_: UPlot, value: number | null) => (value === null ? '–' : `${Math.round(value)} ms`),
      })),
    ],
  };
}
