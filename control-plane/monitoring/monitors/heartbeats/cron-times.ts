import { Temporal } from 'temporal-polyfill';
import { hourMs, minuteMs } from '#shared/duration.ts';
import { type Cron, isDayOf } from './cron.ts';

/** A time at which a job is expected; from `from` on a signal counts for it, which is earlier in a gap of spring. */
export type CronTime = { at: number; from: number };

/** How far ahead a time is looked for. */
const daysAheadMax = 366;
/** Clocks are set by less. */
export const changeMs = 3 * hourMs;

/** Pure: the first time after an instant, in milliseconds; null if there is none within 366 days. */
export function nextCronTime(cron: Cron, timezone: string, afterMs: number): CronTime | null {
  const isQuiet = isPlain(timezone, afterMs);
  const start = plainOf(timezone, isQuiet ? afterMs : afterMs - changeMs);
  let best: CronTime | null = null;
  let lastWall: Temporal.PlainDateTime | null = null;
  for (const wall of wallTimes(cron, start)) {
    // Around a change of the clocks a later wall time may come earlier.
    if (lastWall !== null && Temporal.PlainDateTime.compare(wall, lastWall) > 0) break;
    for (const time of timesOf(cron, timezone, wall)) {
      if (time.at <= afterMs) continue;
      if (best === null || time.at < best.at) best = time;
      else if (time.at === best.at) best = { at: best.at, from: Math.min(best.from, time.from) };
      lastWall ??= time.from === time.at && isQuiet && isPlain(timezone, time.at) ? wall : wall.add({ hours: 3 });
    }
  }
  return best;
}

/** Pure: all times in (afterMs, untilMs], in their order. Around a change of the clocks each wall time is read once. */
export function cronTimesIn(cron: Cron, timezone: string, afterMs: number, untilMs: number): CronTime[] {
  const last = plainOf(timezone, untilMs + changeMs);
  const found = new Map<number, CronTime>();
  for (const wall of wallTimes(cron, plainOf(timezone, afterMs - changeMs))) {
    if (Temporal.PlainDateTime.compare(wall, last) > 0) break;
    for (const { at, from } of timesOf(cron, timezone, wall))
      if (at > afterMs && at <= untilMs) found.set(at, { at, from: Math.min(from, found.get(at)?.from ?? from) });
  }
  return [...found.values()].sort((left, right) => left.at - right.at);
}

/** Pure: the time before the next one to an instant that is itself one; the gap between two is never 0. */
export function cronGapMs(cron: Cron, timezone: string, afterMs: number): number | null {
  const first = nextCronTime(cron, timezone, afterMs);
  const second = first === null ? null : nextCronTime(cron, timezone, first.at);
  return first === null || second === null ? null : second.at - first.at;
}

/** Wall times in their order, after the minute of `start`. */
function* wallTimes(cron: Cron, start: Temporal.PlainDateTime): Generator<Temporal.PlainDateTime> {
  const [hours, minutes] = [cron.hours, cron.minutes].map(set => [...set].sort((left, right) => left - right));
  const today = start.toPlainDate();
  for (let ahead = 0; ahead <= daysAheadMax; ahead++) {
    const date = today.add({ days: ahead });
    if (!isDayOf(cron, { month: date.month, day: date.day, weekday: date.dayOfWeek % 7 })) continue;
    for (const hour of hours ?? []) {
      if (ahead === 0 && hour < start.hour) continue;
      for (const minute of minutes ?? [])
        if (ahead > 0 || hour > start.hour || minute >= start.minute) yield date.toPlainDateTime({ hour, minute });
    }
  }
}

/** None, one, or the two instants of a time that comes twice. */
function timesOf(cron: Cron, timezone: string, wall: Temporal.PlainDateTime): CronTime[] {
  const [earlier, later] = (['earlier', 'later'] as const).map(
    disambiguation => wall.toZonedDateTime(timezone, { disambiguation }).epochMilliseconds,
  );
  if (earlier === undefined || later === undefined) return [];
  if (earlier === later) return [{ at: later, from: later }];
  const isGap = !plainOf(timezone, later).equals(wall);
  if (!isGap) return [earlier, ...(cron.everyHour ? [later] : [])].map(at => ({ at, from: at }));
  return [{ at: later, from: endOfGap(timezone, earlier, later) }];
}

/** The instant at which the clocks were put forward, between two that surround it. */
function endOfGap(timezone: string, beforeMs: number, afterMs: number): number {
  let [low, high] = [Math.floor(beforeMs / minuteMs), Math.ceil(afterMs / minuteMs)];
  const before = offsetMsOf(timezone, low * minuteMs);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMsOf(timezone, middle * minuteMs) === before) low = middle;
    else high = middle;
  }
  return high * minuteMs;
}

/** Whether no clock is set near an instant. */
function isPlain(timezone: string, ms: number): boolean {
  return offsetMsOf(timezone, ms - changeMs) === offsetMsOf(timezone, ms + changeMs);
}

/** How far wall clocks are ahead of UTC. */
export function offsetMsOf(timezone: string, ms: number): number {
  return zonedOf(timezone, ms).offsetNanoseconds / 1_000_000;
}

function plainOf(timezone: string, ms: number): Temporal.PlainDateTime {
  return zonedOf(timezone, ms).toPlainDateTime();
}

function zonedOf(timezone: string, ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(timezone);
}
