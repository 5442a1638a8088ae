import { dayMs, hourMs, secondMs } from '#shared/duration.ts';
import { instantOfLocal } from '../../../platform/local-time.ts';
import { datesOf } from './recur.ts';
import { parseRule } from './rrule.ts';

/** When a recurring window occurs: local times of a zone. */
export type Schedule = {
  /** Local, as `2026-12-01T02:00:00`. */
  start: string;
  timezone: string;
  duration_seconds: number;
  rrule: string;
  /** Local dates, as `2026-12-25`. */
  exclude: readonly string[];
};

/** One occurrence as the rule gives it; `date` is its local date, which no other one has. */
export type Planned = { date: string; startsAt: number; endsAt: number };

/** Rules are looked at up to so long after the instant that is asked for, however rarely they give a date. */
const lookAheadMs = 25 * 366 * dayMs;
/** Occurrences that are compared with their neighbours. */
const comparedMax = 400;
const comparedDays = 10 * 366;
/** Clocks move by less, but in zones that skip a day. */
const clockChangeMs = 3 * hourMs;

/** Occurrences that end after `fromMs` and start before `toMs`, at most `limit`, ascending. The rule is valid. */
export function occurrencesOf(schedule: Schedule, fromMs: number, toMs: number, limit: number): Planned[] {
  const rule = parseRule(schedule.rrule);
  const durationMs = schedule.duration_seconds * secondMs;
  const excluded = new Set(schedule.exclude);
  const begin = startDay(schedule);
  const end = Math.min(toMs, Math.max(begin * dayMs, fromMs) + lookAheadMs);
  const found: Planned[] = [];
  // Local dates are at most a day away from those of UTC.
  const [from, last] = [Math.floor((fromMs - durationMs) / dayMs) - 2, Math.floor(end / dayMs) + 2];
  for (const day of datesOf(rule, begin, from, last)) {
    const date = dateText(day);
    if (excluded.has(date)) continue;
    const startsAt = instantOf(date, schedule);
    if (startsAt >= toMs || (rule.untilMs !== null && startsAt > rule.untilMs)) break;
    if (startsAt + durationMs <= fromMs) continue;
    found.push({ date, startsAt, endsAt: startsAt + durationMs });
    if (found.length === limit) break;
  }
  return found;
}

/** Whether the rule gives the date at which it starts, by which COUNT and the days of rules are counted. */
export function givesStart(schedule: Schedule): boolean {
  const begin = startDay(schedule);
  const rule = parseRule(schedule.rrule);
  const { done } = datesOf(rule, begin, begin, begin).next();
  return done !== true && (rule.untilMs === null || instantOf(dateText(begin), schedule) <= rule.untilMs);
}

/** Whether an occurrence lasts into the next one. */
export function overlapsItself(schedule: Schedule): boolean {
  const durationMs = schedule.duration_seconds * secondMs;
  const begin = startDay(schedule);
  const excluded = new Set(schedule.exclude);
  let [before, compared] = [null as number | null, 0];
  for (const day of datesOf(parseRule(schedule.rrule), begin, begin, begin + comparedDays)) {
    if (compared === comparedMax) return false;
    const date = dateText(day);
    if (excluded.has(date)) continue;
    const isNear = before !== null && (day - before) * dayMs - durationMs < clockChangeMs;
    if (before !== null && isNear) {
      const lastedUntil = instantOf(dateText(before), schedule) + durationMs;
      if (lastedUntil > instantOf(date, schedule)) return true;
    }
    before = day;
    compared += 1;
  }
  return false;
}

function instantOf(date: string, { start, timezone }: Schedule): number {
  return instantOfLocal(Date.parse(`${date}${start.slice(10)}Z`), timezone);
}

function startDay({ start }: Schedule): number {
  return Date.parse(`${start.slice(0, 10)}T00:00:00Z`) / dayMs;
}

function dateText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
