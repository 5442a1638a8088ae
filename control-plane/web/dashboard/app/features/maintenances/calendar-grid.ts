import { localOf } from '../../session/zoned-time.ts';

/** One window on a calendar. */
export type Planned = { id: string; starts_at: string; ends_at: string };
/** A day of the calendar with what lasts on it, the earliest first. */
export type CalendarDay<Entry> = { date: string; isOutside: boolean; entries: readonly Entry[] };

const dayMs = 86_400_000;

/** The dates that a month or a week shows, in whole weeks from Monday on. `date` is any date in it. */
export function datesShown(kind: 'month' | 'week', date: string): string[] {
  const day = Date.parse(`${date}T00:00:00Z`);
  const first = kind === 'week' ? day : Date.parse(`${date.slice(0, 7)}-01T00:00:00Z`);
  const last = kind === 'week' ? day : Date.parse(`${stepDate('month', date, 1).slice(0, 7)}-01T00:00:00Z`) - dayMs;
  const monday = first - weekdayOf(first) * dayMs;
  const sunday = last + (6 - weekdayOf(last)) * dayMs;
  return Array.from({ length: Math.round((sunday - monday) / dayMs) + 1 }, (_, index) =>
    dateOf(monday + index * dayMs),
  );
}

/** The date one or several months or weeks later. */
export function stepDate(kind: 'month' | 'week', date: string, steps: number): string {
  if (kind === 'week') return dateOf(Date.parse(`${date}T00:00:00Z`) + steps * 7 * dayMs);
  const [year = 0, month = 1] = date.split('-').map(Number);
  return dateOf(Date.UTC(year, month - 1 + steps, 1));
}

/** `December 2026`, or `7–13 December 2026`. */
export function titleOf(kind: 'month' | 'week', date: string): string {
  const format = (text: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(new Date(`${text}T00:00:00Z`));
  if (kind === 'month') return format(date, { month: 'long', year: 'numeric' });
  const shown = datesShown('week', date);
  const [first = date, last = date] = [shown[0], shown.at(-1)];
  const isOneMonth = first.slice(0, 7) === last.slice(0, 7);
  const from = format(first, isOneMonth ? { day: 'numeric' } : { day: 'numeric', month: 'short' });
  return `${from}–${format(last, { day: 'numeric', month: isOneMonth ? 'long' : 'short', year: 'numeric' })}`;
}

/** The days of a month or week; a window stands on each day on which it lasts. */
export function calendarOf<Entry extends Planned>(
  kind: 'month' | 'week',
  date: string,
  entries: readonly Entry[],
  timeZone: string,
): CalendarDay<Entry>[] {
  const placed = entries
    .toSorted((left, right) => left.starts_at.localeCompare(right.starts_at) || left.id.localeCompare(right.id))
    .map(entry => ({
      entry,
      from: localOf(Date.parse(entry.starts_at), timeZone).slice(0, 10),
      // One that ends at midnight does not last on the day that begins then.
      until: localOf(Date.parse(entry.ends_at) - 1, timeZone).slice(0, 10),
    }));
  return datesShown(kind, date).map(each => ({
    date: each,
    isOutside: kind === 'month' && each.slice(0, 7) !== date.slice(0, 7),
    entries: placed.filter(({ from, until }) => from <= each && each <= until).map(({ entry }) => entry),
  }));
}

/** The part of a local day in which a window lasts, from 0 to 1. */
export function shareOfDay(entry: Planned, date: string, timeZone: string): { from: number; until: number } {
  const share = (at: string) => {
    const local = localOf(Date.parse(at), timeZone);
    if (local.slice(0, 10) < date) return 0;
    if (local.slice(0, 10) > date) return 1;
    const [hour = 0, minute = 0] = local.slice(11).split(':').map(Number);
    return (hour * 60 + minute) / 1440;
  };
  return { from: share(entry.starts_at), until: share(entry.ends_at) };
}

/** Monday is 0. */
function weekdayOf(ms: number): number {
  return (new Date(ms).getUTCDay() + 6) % 7;
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
