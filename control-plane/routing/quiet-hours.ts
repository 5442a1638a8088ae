import { Temporal } from 'temporal-polyfill';
import { dayMs } from '#shared/duration.ts';

export const weekdays = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'] as const;

/** When a route notifies nobody, by the wall clock: a span that goes past midnight belongs to the day it began. */
export type QuietHours = {
  timezone: string;
  days: readonly (typeof weekdays)[number][];
  /** `HH:MM`. The same as `to` is the whole day. */
  from: string;
  to: string;
};

type Span = { start: number; end: number };

const daysAhead = 8;
const roundsMax = 40;
const never = Number.POSITIVE_INFINITY;

/** The end of the quiet hours that the instant is in; null if it is in none. Spans that touch are one. */
export function quietEnd(quiet: QuietHours | null, atMs: number): number | null {
  if (quiet === null) return null;
  const spans = spansAround(quiet, atMs);
  let end: number | null = null;
  for (const span of spans) if (span.start <= (end ?? atMs) && (end ?? atMs) < span.end) end = span.end;
  return end;
}

/**
 * The instant at which so much time has passed since the start, quiet hours not counted; never within them. Infinity if
 * every hour is quiet.
 */
export function addActive(quiet: QuietHours | null, startMs: number, durationMs: number): number {
  if (quiet === null) return startMs + durationMs;
  let at = startMs;
  let rest = durationMs;
  for (let round = 0; round < roundsMax; round++) {
    const end = quietEnd(quiet, at);
    if (end !== null) {
      at = end;
      continue;
    }
    const next = spansAround(quiet, at).find(span => span.start > at)?.start ?? never;
    if (at + rest < next) return at + rest;
    rest -= next - at;
    at = next;
  }
  return never;
}

/** In order of their starts: yesterday's and those of the next week. A span that the clock skips is empty. */
function spansAround({ timezone, days, from, to }: QuietHours, atMs: number): Span[] {
  const today = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(timezone).toPlainDate();
  const instantOf = (date: Temporal.PlainDate, time: string) =>
    date.toZonedDateTime({ timeZone: timezone, plainTime: Temporal.PlainTime.from(time) }).epochMilliseconds;
  const spans: Span[] = [];
  for (let offset = -2; offset <= daysAhead; offset++) {
    const date = today.add({ days: offset });
    const name = weekdays[date.dayOfWeek - 1];
    if (name === undefined || !days.includes(name)) continue;
    const end = from < to ? date : date.add({ days: 1 });
    const span = { start: instantOf(date, from), end: instantOf(end, to) };
    if (span.start < span.end && span.end > atMs - dayMs) spans.push(span);
  }
  return spans;
}
