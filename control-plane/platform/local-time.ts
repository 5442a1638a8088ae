import { LRUCache } from 'lru-cache';
import { dayMs, secondMs } from '#shared/duration.ts';

// Temporal takes a third of a millisecond for each conversion, and a rule needs hundreds.

const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });

/**
 * The instant of a local time, which is given as if it were UTC. RFC 5545 §3.3.5: a time that does not exist takes the
 * offset before the gap, of one that exists twice it is the first. Clocks change at most once in two days.
 */
export function instantOfLocal(localMs: number, timezone: string): number {
  const [before, after] = [offsetAt(localMs - dayMs, timezone), offsetAt(localMs + dayMs, timezone)];
  if (before === after) return localMs - before;
  const [early, late] = [localMs - before, localMs - after];
  const isEarly = offsetAt(early, timezone) === before;
  const isLate = offsetAt(late, timezone) === after;
  return isLate && !isEarly ? late : early;
}

/**
 * The instants at which clocks show a local time from `fromMs` to before `toMs`, both as if they were UTC, ascending.
 * None of what a clock change skips; twice what it repeats. The time is at most some days.
 */
export function spansOfLocal(fromMs: number, toMs: number, timezone: string): { start: number; end: number }[] {
  const [early, late] = [fromMs - dayMs, toMs + dayMs];
  const [before, after] = [offsetAt(early, timezone), offsetAt(late, timezone)];
  if (before === after) return [{ start: fromMs - before, end: toMs - before }];
  const change = changeBetween(early, late, before, timezone);
  const spans = [
    { start: fromMs - before, end: Math.min(toMs - before, change) },
    { start: Math.max(fromMs - after, change), end: toMs - after },
  ].filter(({ start, end }) => start < end);
  const [first, second] = spans;
  if (first === undefined || second === undefined || first.end < second.start) return spans;
  return [{ start: first.start, end: second.end }];
}

/** The first whole second from which the offset is not `before` any more. */
function changeBetween(earlyMs: number, lateMs: number, before: number, timezone: string): number {
  let [early, late] = [earlyMs, lateMs];
  while (late - early > secondMs) {
    const middle = Math.floor((early + late) / 2 / secondMs) * secondMs;
    if (offsetAt(middle, timezone) === before) early = middle;
    else late = middle;
  }
  return late;
}

/** The local time at an instant of whole seconds, as if it were UTC. */
export function localOfInstant(ms: number, timezone: string): number {
  return ms + offsetAt(ms, timezone);
}

/** Whether it names a time zone of IANA. Offsets such as +02:00 are no names of zones. */
export function isTimezone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

/** How far local time is ahead of UTC at an instant of whole seconds. */
function offsetAt(ms: number, timezone: string): number {
  const [, month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
    /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/.exec(formatOf(timezone).format(ms)) ?? []
  ).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) - ms;
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formats.set(timezone, format);
  return format;
}
