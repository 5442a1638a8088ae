import { type Description, element } from './element.ts';
import { spellLong } from './time.ts';
import { type Day, percent, uptimeOf } from './uptime-days.ts';
import { plural } from './words.ts';

const heights: Record<Day['level'], number> = { none: 6, up: 24, degraded: 24, partial: 24, down: 24 };

/** A bar for each day with its figures on hover, and the whole in words for who does not see it. */
export function uptimeBars(days: readonly Day[]): Description {
  const bars = days.map((day, index) =>
    element(
      'g',
      { key: day.date },
      element('rect', { class: 'reach', x: index * 4, y: 0, width: 4, height: 24 }),
      element('rect', {
        class: `day ${day.level}`,
        x: index * 4 + 0.5,
        y: 24 - heights[day.level],
        width: 3,
        height: heights[day.level],
        rx: 1,
      }),
      // A notch beside the colour: days with downtime can be told without it.
      day.level === 'down' && element('rect', { class: 'notch', x: index * 4 + 0.5, y: 0, width: 3, height: 8 }),
      day.level === 'partial' && element('rect', { class: 'notch', x: index * 4 + 0.5, y: 0, width: 3, height: 3 }),
      element('title', {}, describeDay(day)),
    ),
  );
  const attributes = { class: 'bars', viewBox: `0 0 ${days.length * 4} 24`, preserveAspectRatio: 'none', role: 'img' };
  return element('svg', { ...attributes, 'aria-label': describeDays(days) }, bars);
}

export function describeDay({ date, bucket }: Day): string {
  if (bucket === null) return `${date}: no data`;
  const down = bucket.down_seconds > 0 ? `, down ${spellLong(bucket.down_seconds * 1000)}` : '';
  const degraded = bucket.degraded_seconds > 0 ? `, degraded ${spellLong(bucket.degraded_seconds * 1000)}` : '';
  return `${date}: ${percent(bucket.uptime)}${down}${degraded}`;
}

function describeDays(days: readonly Day[]): string {
  const uptime = uptimeOf(days);
  if (uptime === null) return `${days.length} days: no data`;
  const bad = days.filter(day => day.level === 'down' || day.level === 'partial').length;
  const none = days.filter(day => day.level === 'none').length;
  return `${days.length} days: ${percent(uptime)} up, ${plural(bad, 'day')} with downtime, ${plural(none, 'day')} without data`;
}
