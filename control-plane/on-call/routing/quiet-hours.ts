import { LRUCache } from 'lru-cache';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { localOfInstant, spansOfLocal } from '../../platform/local-time.ts';

export const weekdays = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'] as const;

/**
 * When a route notifies nobody: while the wall clock shows a time of the span, which belongs to the day it began if it
 * goes past midnight. What a clock change skips is in no span, and what it repeats is in it twice.
 */
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

/** In order of their starts: yesterday's and those of the next week. A clock that goes back at midnight mixes days. */
function spansAround(quiet: QuietHours, atMs: number): Span[] {
  const today = Math.floor(localOfInstant(Math.floor(atMs / 1000) * 1000, quiet.timezone) / dayMs);
  const spans: Span[] = [];
  for (let day = today - 2; day <= today + daysAhead; day++)
    for (const span of spansOf(quiet, day)) if (span.end > atMs - dayMs) spans.push(span);
  return spans.sort((left, right) => left.start - right.start);
}

/** Spans by the day, counted since 1970, on which they begin: what is due next is asked for over and over. */
const known = new LRUCache<string, readonly Span[]>({ max: 20_000 });

/** None if no span begins on that day, or the clock skips it. */
function spansOf({ timezone, days, from, to }: QuietHours, day: number): readonly Span[] {
  // 1970 began on a Thursday.
  const name = weekdays[(((day + 3) % 7) + 7) % 7];
  if (name === undefined || !days.includes(name)) return [];
  const key = `${day} ${from} ${to} ${timezone}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const end = from < to ? day : day + 1;
  const spans = spansOfLocal(localAt(day, from), localAt(end, to), timezone);
  known.set(key, spans);
  return spans;
}

function localAt(day: number, time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return day * dayMs + (hours * 60 + minutes) * minuteMs;
}
