import { aheadMs, type Zone } from '../../session/time.ts';

/** A time span in seconds since the epoch. */
export type Span = { from: number; to: number };

/** Something that happened at an instant, in seconds since the epoch. `text` stands in the plot, not only a letter. */
export type Mark = { at: number; label: string; text?: string };

/** Lines over time: `times` in seconds since the epoch, one value or null per line and time. */
export type Plot = {
  times: readonly number[];
  lines: readonly { label: string; values: readonly (number | null)[] }[];
  /** Whether points of a line are connected across times it has no value for. */
  joined: boolean;
  /** What the axis of time covers; from the first to the last of the times if it is not given. */
  covered?: Span;
  /** Outages, shaded behind the lines. */
  spans?: readonly Span[];
  marks?: readonly Mark[];
  /** Values are milliseconds unless they are counts, values of any size, or shares. */
  unit?: 'count' | 'value' | 'percent';
  /** The lines are sums: each is filled down to the one below. */
  stacked?: boolean;
};

/** What the axis of time covers, so that plots of the same time line up, whatever the times of their points. */
export function timeRange({ covered }: Pick<Plot, 'covered'>, first: number, last: number): [number, number] {
  return covered === undefined ? [first, last] : [covered.from, covered.to];
}

/** From zero to a tenth above the highest value, and at least 10 ms, so that a fast target does not look jittery. */
export function latencyRange(maxMs: number | null): [number, number] {
  return [0, Math.max(10, (maxMs ?? 0) * 1.1)];
}

/** From zero to a tenth above the highest count, and at least 4, so that the ticks are whole. */
export function countRange(max: number | null): [number, number] {
  return [0, Math.max(4, (max ?? 0) * 1.1)];
}

/** From zero to a tenth above the highest value, which may be a small share. */
export function valueRange(max: number | null): [number, number] {
  return [0, max === null || max <= 0 ? 1 : max * 1.1];
}

/** From zero to a tenth above the highest share, and at least 10 %. */
export function percentRange(max: number | null): [number, number] {
  return [0, Math.min(100, Math.max(10, (max ?? 0) * 1.1))];
}

/** A value of any size, short. */
export function valueLabel(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 }).format(value);
}

/** A count on an axis, short: 1.5M. No label between whole ones. */
export function countLabel(tick: number): string {
  if (!Number.isInteger(tick)) return '';
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(tick);
}

/**
 * Time of day, with seconds where minutes would repeat; the date on the first label and on each new day. Dates alone
 * where all are midnights.
 */
export function timeLabels(ticks: readonly number[], zone: Zone = 'utc'): string[] {
  const end = ticks.some(tick => tick % 60 !== 0) ? 19 : 16;
  const texts = ticks.map(tick => wallClock(tick, zone));
  if (texts.length > 1 && texts.every(text => text.slice(11, 19) === '00:00:00')) return texts.map(dateOf);
  return texts.map((text, index) => {
    const isNewDay = text.slice(0, 10) !== texts[index - 1]?.slice(0, 10);
    return `${text.slice(11, end)}${isNewDay ? `\n${dateOf(text)}` : ''}`;
  });
}

/** The latest and highest value of each line, for screen readers. */
export function describePlot({ lines, unit }: Plot): string {
  return lines.map(({ label, values }) => `${label}: ${describeLine(values, unit)}`).join('; ');
}

function describeLine(values: readonly (number | null)[], unit: Plot['unit']): string {
  const measured = values.filter(value => value !== null);
  const latest = measured.at(-1);
  if (latest === undefined) return 'no data';
  const highest = Math.max(...measured);
  if (unit === 'percent') return `latest ${latest} %, highest ${highest} %`;
  if (unit !== undefined) return `latest ${latest.toLocaleString('en')}, highest ${highest.toLocaleString('en')}`;
  return `latest ${Math.round(latest)} ms, highest ${Math.round(highest)} ms`;
}

function wallClock(tick: number, zone: Zone): string {
  return new Date(tick * 1000 + aheadMs(tick * 1000, zone)).toISOString();
}

function dateOf(text: string): string {
  return text.slice(5, 10);
}
