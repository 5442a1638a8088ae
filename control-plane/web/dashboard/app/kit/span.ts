import { formatLongDuration, formatTime, type Zone } from '../session/time.ts';

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** `Tue 2026-12-01 02:00–03:30 UTC`; with both dates if it ends on another one. */
export function formatSpan(startsAt: string, endsAt: string, zone: Zone): string {
  const [start, end] = [formatTime(startsAt, zone), formatTime(endsAt, zone)];
  const suffix = end.slice(20);
  const from = `${weekdayOf(start)} ${start.slice(0, 16)}`;
  const until = end.slice(0, 10) === start.slice(0, 10) ? end.slice(11, 16) : `${weekdayOf(end)} ${end.slice(0, 16)}`;
  return `${from}${until.length > 5 ? ' – ' : '–'}${until} ${suffix}`;
}

/** `1 h 30 min`. */
export function formatLength(startsAt: string, endsAt: string): string {
  return formatLongDuration(Date.parse(endsAt) - Date.parse(startsAt));
}

function weekdayOf(text: string): string {
  return weekdays[new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDay()] ?? '';
}
