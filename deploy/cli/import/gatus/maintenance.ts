import { isTimezone } from '../../../../control-plane/platform/local-time.ts';
import type { Draft } from '../draft/draft.ts';
import { durationMs } from '../draft/duration.ts';
import { isTrue, listOf, objectOf, textOf } from '../draft/values.ts';
import type { Item } from '../imported.ts';

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A window of each week, or each day, for these monitors. */
export function putMaintenance(draft: Draft, name: string, given: unknown, monitors: readonly string[]): void {
  const window = objectOf(given);
  const thing = draft.thing('maintenance', name, name);
  if (window.enabled !== undefined && !isTrue(window.enabled)) return thing.leftOut('it is not enabled');
  const start = /^([01]\d|2[0-3]):[0-5]\d$/.exec(textOf(window.start))?.[0];
  const seconds = Math.round((durationMs(textOf(window.duration)) ?? 0) / 1000);
  const timezone = textOf(window.timezone) || 'UTC';
  const chosen = listOf(window.every).map(day => days.indexOf(textOf(day)));
  if (start === undefined || seconds < 60 || seconds > 86_400 || !isTimezone(timezone) || chosen.includes(-1))
    return thing.leftOut('its start, duration, time zone or days are not valid');
  if (monitors.length === 0) return thing.leftOut('it has no monitor here');
  const first = chosen.length === 0 ? 0 : Math.min(...chosen);
  const byDay = chosen.map(day => (days[day] ?? '').slice(0, 2).toUpperCase());
  const key = draft.keyFor('maintenances', `maintenance ${name}`);
  draft.put('maintenances', key, {
    title: `Maintenance of ${name}`.slice(0, 255),
    scope: scopeOf(monitors),
    schedule: {
      // The first of January 2024 was a Monday.
      start: `2024-01-0${first + 1}T${start}:00`,
      timezone,
      duration_seconds: seconds,
      rrule: chosen.length === 0 ? 'FREQ=DAILY' : `FREQ=WEEKLY;BYDAY=${[...new Set(byDay)].join(',')}`,
    },
    settle_seconds: 0,
  });
  thing.carried(key);
}

function scopeOf(monitors: readonly string[]): Item {
  return monitors.length <= 500 ? { monitors } : { selector: '*' };
}
