import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { useApp } from '../../session/app.ts';
import type { Zone } from '../../session/time.ts';
import { zoneNameOf } from '../../session/zoned-time.ts';
import { formatMs } from '../milliseconds.ts';
import {
  countLabel,
  countRange,
  describePlot,
  latencyRange,
  type Mark,
  type Plot,
  percentRange,
  type Span,
  timeLabels,
  timeRange,
  valueLabel,
  valueRange,
} from './plot-scale.ts';

const height = 240;
const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
const colourCount = 6;

/** Latencies, counts or other values over time, with a summary for screen readers. */
export function LinePlot({ name, plot }: { name: string; plot: Plot }) {
  const host = useRef<HTMLDivElement>(null);
  const drawn = useRef<UPlot | null>(null);
  const latest = useRef(plot);
  const { zone } = useApp();
  latest.current = plot;
  const lines = plot.lines.map(line => line.label).join('\n');

  useEffect(() => {
    const place = host.current;
    if (place === null) return;
    const draw = (): void => {
      drawn.current?.destroy();
      const { current } = latest;
      drawn.current =
        place.clientWidth === 0 ? null : new UPlot(optionsOf(latest, place, zone.value), dataOf(current), place);
    };
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const themed = new MutationObserver(draw);
    const resized = new ResizeObserver(() => {
      if (drawn.current === null) draw();
      else drawn.current.setSize({ width: place.clientWidth, height });
    });
    resized.observe(place);
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    dark.addEventListener('change', draw);
    draw();
    return () => {
      resized.disconnect();
      themed.disconnect();
      dark.removeEventListener('change', draw);
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, [lines, zone.value]);
  useEffect(() => drawn.current?.setData(dataOf(plot)), [plot]);
  return <div ref={host} class="plot" role="img" aria-label={`${name}. ${describePlot(plot)}`} />;
}

function dataOf(plot: Plot): UPlot.AlignedData {
  return [plot.times, ...plot.lines.map(line => line.values)] as unknown as UPlot.AlignedData;
}

function optionsOf(latest: { current: Plot }, host: HTMLElement, zone: Zone): UPlot.Options {
  const style = getComputedStyle(host);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: colour('muted'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
  const { range, tick, value } = scaleOf(latest.current.unit);
  const toDate = (seconds: number) => new Date(seconds * 1000);
  return {
    width: host.clientWidth,
    height,
    tzDate: seconds => (zone === 'local' ? toDate(seconds) : UPlot.tzDate(toDate(seconds), zoneNameOf(zone))),
    cursor: { drag: { x: false, y: false } },
    scales: {
      ...(latest.current.covered !== undefined && {
        x: { range: (_, min, max) => timeRange(latest.current, min, max) },
      }),
      y: { range: (_, __, max) => range(max) },
    },
    hooks: {
      drawClear: [plot => shade(plot, latest.current.spans ?? [], colour)],
      draw: [plot => mark(plot, latest.current.marks ?? [], colour('text'))],
    },
    axes: [
      { ...axis, values: (_, ticks) => timeLabels(ticks, zone) },
      { ...axis, size: 64, values: (_, ticks) => ticks.map(tick) },
    ],
    series: [
      { label: zone === 'local' ? 'Local time' : zoneNameOf(zone), value: '{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}' },
      ...latest.current.lines.map((line, index) => ({
        label: line.label,
        stroke: colour(`series-${(index % colourCount) + 1}`),
        dash: dashes[Math.floor(index / 2) % dashes.length] ?? [],
        width: latest.current.stacked === true ? 1 : 2,
        ...(latest.current.stacked === true && { fill: colour(`series-${(index % colourCount) + 1}`) }),
        spanGaps: latest.current.joined,
        points: { show: latest.current.times.length < 60, size: 4 },
        value: (_: UPlot, at: number | null) => value(at),
      })),
    ],
  };
}

type Scale = {
  range(max: number | null): [number, number];
  tick(value: number): string;
  value(value: number | null): string;
};

function scaleOf(unit: Plot['unit']): Scale {
  if (unit === 'count')
    return { range: countRange, tick: countLabel, value: value => (value ?? 0).toLocaleString('en') };
  if (unit === 'value')
    return { range: valueRange, tick: valueLabel, value: value => (value === null ? '–' : valueLabel(value)) };
  if (unit === 'percent')
    return { range: percentRange, tick: value => `${value} %`, value: value => (value === null ? '–' : `${value} %`) };
  return { range: latencyRange, tick: value => `${value} ms`, value: formatMs };
}

/** Outages behind the lines, so that a gap is not mistaken for calm. */
function shade(plot: UPlot, spans: readonly Span[], colour: (name: string) => string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = colour('down-tint');
  for (const { from, to } of spans) {
    const left = Math.max(bbox.left, plot.valToPos(from, 'x', true));
    const right = Math.min(bbox.left + bbox.width, plot.valToPos(to, 'x', true));
    if (right > left) ctx.fillRect(left, bbox.top, Math.max(1, right - left), bbox.height);
  }
  ctx.restore();
}

/** A thin line with its text at the top, for what happened at an instant. */
function mark({ ctx, bbox, valToPos }: UPlot, marks: readonly Mark[], colour: string): void {
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.setLineDash([2, 4]);
  for (const { at, label, text } of marks) {
    const x = Math.round(valToPos(at, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillText(text ?? label.slice(0, 1), x + 3, bbox.top + 12);
  }
  ctx.restore();
}
