import { dayMs, minuteMs } from '#shared/duration.ts';
import { instantOfLocal, localOfInstant } from '../maintenances/local-time.ts';

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
/** Spans of the next week serve that long. */
const reusedMs = 6 * dayMs;
const roundsMax = 60;
const never = Number.POSITIVE_INFINITY;

/** The end of the quiet hours that the instant is in; null if it is in none. Spans that touch are one. */
export function quietEnd(quiet: QuietHours | null, atMs: number): number | null {
  return quiet === null ? null : endIn(spansAround(quiet, atMs), atMs);
}

/**
 * The instant at which so much time has passed since the start, quiet hours not counted; never within them. Infinity if
 * every hour is quiet.
 */
export function addActive(quiet: QuietHours | null, startMs: number, durationMs: number): number {
  if (quiet === null) return startMs + durationMs;
  let at = startMs;
  let rest = durationMs;
  let spans = spansAround(quiet, at);
  let readAt = at;
  for (let round = 0; round < roundsMax; round++) {
    if (at > readAt + reusedMs) [spans, readAt] = [spansAround(quiet, at), at];
    const end = endIn(spans, at);
    if (end !== null) {
      at = end;
      continue;
    }
    const ahead = spans.find(span => span.start > at)?.start;
    if (ahead === undefined && at > readAt) {
      [spans, readAt] = [spansAround(quiet, at), at];
      continue;
    }
    const next = ahead ?? never;
    if (at + rest < next) return at + rest;
    rest -= next - at;
    at = next;
  }
  return never;
}

function endIn(spans: readonly Span[], atMs: number): number | null {
  let end: number | null = null;
  for (const span of spans) if (span.start <= (end ?? atMs) && (end ?? atMs) < span.end) end = span.end;
  return end;
}

/** In order of their starts: yesterday's and those of the next week. */
function spansAround(quiet: QuietHours, atMs: number): Span[] {
  const today = Math.floor(localOfInstant(Math.floor(atMs / 1000) * 1000, quiet.timezone) / dayMs);
  const spans: Span[] = [];
  for (let day = today - 2; day <= today + daysAhead; day++) {
    const span = spanOf(quiet, day);
    if (span !== null && span.end > atMs - dayMs) spans.push(span);
  }
  return spans;
}

/** Spans by the day, counted since 1970, on which they begin: what is due next is asked for over and over. */
const known = new Map<string, Span | null>();
const knownMax = 20_000;

/** Null if no span begins on that day. One that the clock skips is empty, and none. */
function spanOf({ timezone, days, from, to }: QuietHours, day: number): Span | null {
  // 1970 began on a Thursday.
  const name = weekdays[(((day + 3) % 7) + 7) % 7];
  if (name === undefined || !days.includes(name)) return null;
  const key = `${day} ${from} ${to} ${timezone}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const end = from < to ? day : day + 1;
  const span = { start: instantAt(day, from, timezone), end: instantAt(end, to, timezone) };
  const kept = span.start < span.end ? span : null;
  if (known.size >= knownMax) known.clear();
  known.set(key, kept);
  return kept;
}

function instantAt(day: number, time: string, timezone: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return instantOfLocal(day * dayMs + (hours * 60 + minutes) * minuteMs, timezone);
}
