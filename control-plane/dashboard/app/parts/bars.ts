import { type Day, formatPercent, uptimeOf } from '../data/days.ts';
import { type Content, type Description, element } from '../dom/element.ts';
import { plural } from './labels.ts';
import { formatLongDuration } from './time.ts';

const heights: Record<Day['level'], number> = { none: 6, up: 24, degraded: 24, partial: 24, down: 24 };
/** A notch marks days with downtime, so that they can be recognised without colour. */
const notches: Record<Day['level'], number> = { none: 0, up: 0, degraded: 0, partial: 3, down: 8 };

/** One bar per day with its figures on hover, and a summary for screen readers. */
export function uptimeBars(days: readonly Day[]): Description {
  const attributes = { class: 'bars', viewBox: `0 0 ${days.length * 4} 24`, preserveAspectRatio: 'none', role: 'img' };
  return element('svg', { ...attributes, 'aria-label': describeDays(days) }, days.map(bar));
}

/** The bars of a monitor with its uptime; `missing` is shown until they are loaded. */
export function uptimeHistory(
  days: { uptime: number | null; drawn: Description } | null,
  missing: string,
): Description {
  if (days === null) return element('div', { class: 'history' }, element('span', { class: 'hint' }, missing));
  const figure = days.uptime === null ? 'no data' : formatPercent(days.uptime);
  return element(
    'div',
    { class: 'history' },
    days.drawn,
    element('span', { class: 'figure', title: '90 days' }, figure),
  );
}

function bar(day: Day, index: number): Content {
  const [left, height, notch] = [index * 4, heights[day.level], notches[day.level]];
  const shape = { x: left + 0.5, y: 24 - height, width: 3, height, rx: 1 };
  return element(
    'g',
    { key: day.date },
    element('rect', { class: 'reach', x: left, y: 0, width: 4, height: 24 }),
    element('rect', { class: `day ${day.level}`, ...shape }),
    notch > 0 && element('rect', { class: 'notch', x: left + 0.5, y: 0, width: 3, height: notch }),
    element('title', {}, describeDay(day)),
  );
}

function describeDay({ date, bucket }: Day): string {
  if (bucket === null) return `${date}: no data`;
  const { uptime, down_seconds, degraded_seconds } = bucket;
  const down = down_seconds > 0 ? `, down ${formatLongDuration(down_seconds * 1000)}` : '';
  const degraded = degraded_seconds > 0 ? `, degraded ${formatLongDuration(degraded_seconds * 1000)}` : '';
  return `${date}: ${formatPercent(uptime)}${down}${degraded}`;
}

function describeDays(days: readonly Day[]): string {
  const uptime = uptimeOf(days);
  if (uptime === null) return `${days.length} days: no data`;
  const withDowntime = days.filter(day => day.level === 'down' || day.level === 'partial').length;
  const withoutData = days.filter(day => day.level === 'none').length;
  return (
    `${days.length} days: ${formatPercent(uptime)} up, ` +
    `${plural(withDowntime, 'day')} with downtime, ${plural(withoutData, 'day')} without data`
  );
}
