import { type Description, element } from './element.ts';
import UPlot from './uplot.js';

/** Lines over time: `times` in seconds since the epoch, one value or null for each line and time. */
export type Plot = {
  times: readonly number[];
  lines: readonly { label: string; values: readonly (number | null)[] }[];
  /** Whether points of a line are joined across times it has no value for. */
  joined: boolean;
};

const height = 220;
const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
const colourCount = 6;

/** Latency in milliseconds over time. The words say the main thing to who does not see it. */
export function latencyPlot(name: string, plot: Plot): Description {
  return element('div', {
    key: `plot ${name}`,
    class: 'plot',
    role: 'img',
    'aria-label': `${name}. ${describe(plot)}`,
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
  const axis = { stroke: colour('soft'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
  return {
    width: host.clientWidth,
    height,
    tzDate: seconds => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    cursor: { drag: { x: false, y: false } },
    scales: { y: { range: (_, __, max) => [0, Math.max(10, (max ?? 0) * 1.1)] } },
    axes: [
      { ...axis, values: (_, ticks) => timeLabels(ticks) },
      { ...axis, size: 64, values: (_, ticks) => ticks.map(tick => `${tick} ms`) },
    ],
    series: [
      { label: 'UTC', value: '{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}' },
      ...plot.lines.map((line, index) => ({
        label: line.label,
        stroke: colour(`line-${(index % colourCount) + 1}`),
        dash: dashes[Math.floor(index / 2) % dashes.length] ?? [],
        width: 2,
        spanGaps: plot.joined,
        points: { show: plot.times.length < 60, size: 4 },
        value: (_: UPlot, value: number | null) => (value === null ? '–' : `${Math.round(value)} ms`),
      })),
    ],
  };
}

/** Time of day in UTC, with seconds where minutes would repeat; the date at the left and where a day begins. */
function timeLabels(ticks: readonly number[]): string[] {
  const end = ticks.some(tick => tick % 60 !== 0) ? 19 : 16;
  const texts = ticks.map(tick => new Date(tick * 1000).toISOString());
  return texts.map((text, index) => {
    const isNewDay = text.slice(0, 10) !== texts[index - 1]?.slice(0, 10);
    return `${text.slice(11, end)}${isNewDay ? `\n${text.slice(5, 10)}` : ''}`;
  });
}

function describe({ lines }: Plot): string {
  const told = lines.map(({ label, values }) => {
    const known = values.filter(value => value !== null);
    const latest = known.at(-1);
    return latest === undefined
      ? `${label}: no data`
      : `${label}: latest ${Math.round(latest)} ms, highest ${Math.round(Math.max(...known))} ms`;
  });
  return told.join('; ');
}
