import { dayMs } from '#shared/duration.ts';
import type { Rule } from './rrule.ts';

// Dates are numbers of days since 1970-01-01: rules are about dates alone, time zones come after them.

type Month = { year: number; month: number };

/** The number of a date; `month` counts from 1, and may be beyond the year. */
function dayOf(year: number, month: number, day: number): number {
  return Math.round(Date.UTC(year, month - 1, day) / dayMs);
}

/** Monday is 0. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function monthOf(day: number): Month & { day: number } {
  const date = new Date(day * dayMs);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/**
 * The dates that a rule gives from `start` on, ascending, up to `last`. `from`: earlier ones are not wanted, and are
 * skipped where nothing has to be counted. The work is bounded by the days from `start` to `last`.
 */
export function* datesOf(rule: Rule, start: number, from: number, last: number): Generator<number> {
  let given = 0;
  for (let index = rule.count === null ? firstPeriod(rule, start, from) : 0; ; index++) {
    const { begins, days } = periodAt(rule, start, index);
    if (begins > last) return;
    for (const day of days) {
      if (day < start) continue;
      if (day > last || given === rule.count) return;
      given += 1;
      if (day >= from) yield day;
    }
  }
}

/** A period of the rule whose dates are all before or around `from`: none that is wanted lies before it. */
function firstPeriod({ frequency, interval }: Rule, start: number, from: number): number {
  const longest = { DAILY: 1, WEEKLY: 7, MONTHLY: 31, YEARLY: 366 }[frequency] * interval;
  return Math.max(0, Math.floor((from - start) / longest) - 1);
}

type Period = { begins: number; days: readonly number[] };

function periodAt(rule: Rule, start: number, index: number): Period {
  const { frequency, interval } = rule;
  switch (frequency) {
    case 'DAILY': {
      const day = start + index * interval;
      return { begins: day, days: isOfDate(rule, day) && isOfWeekdays(rule, day) ? [day] : [] };
    }
    case 'WEEKLY': {
      const begins = start - ((weekdayOf(start) - rule.weekStart + 7) % 7) + 7 * index * interval;
      const wanted = rule.weekdays.length === 0 ? [weekdayOf(start)] : rule.weekdays.map(({ weekday }) => weekday);
      const week = Array.from({ length: 7 }, (_, offset) => begins + offset);
      return { begins, days: week.filter(day => wanted.includes(weekdayOf(day)) && isOfDate(rule, day)) };
    }
    case 'MONTHLY': {
      const first = monthOf(start);
      const month = monthOf(dayOf(first.year, first.month + index * interval, 1));
      const begins = dayOf(month.year, month.month, 1);
      const isWanted = rule.months.length === 0 || rule.months.includes(month.month);
      return { begins, days: isWanted ? atPositions(rule, daysOfMonth(rule, month, first.day)) : [] };
    }
    case 'YEARLY': {
      const first = monthOf(start);
      const year = first.year + index * interval;
      return { begins: dayOf(year, 1, 1), days: daysOfYear(rule, year, first) };
    }
    default:
      return frequency satisfies never;
  }
}

/** The month of the last date asked for: daily rules ask for one date after the other. */
let known = { month: 0, begins: 0, ends: 0 };

/** Whether BYMONTH and BYMONTHDAY let the date through. */
function isOfDate({ months, monthDays }: Rule, date: number): boolean {
  if (months.length === 0 && monthDays.length === 0) return true;
  if (date < known.begins || date >= known.ends) {
    const { year, month } = monthOf(date);
    known = { month, begins: dayOf(year, month, 1), ends: dayOf(year, month + 1, 1) };
  }
  if (months.length > 0 && !months.includes(known.month)) return false;
  const [day, left] = [date - known.begins + 1, date - known.ends];
  return monthDays.length === 0 || monthDays.includes(day) || monthDays.includes(left);
}

function isOfWeekdays({ weekdays }: Rule, day: number): boolean {
  return weekdays.length === 0 || weekdays.some(({ weekday }) => weekday === weekdayOf(day));
}

function daysOfYear(rule: Rule, year: number, first: Month & { day: number }): number[] {
  const { months, monthDays, weekdays } = rule;
  if (weekdays.length > 0 && monthDays.length === 0 && months.length === 0)
    return daysOfWeekdays(rule, dayOf(year, 1, 1), dayOf(year + 1, 1, 1));
  const all = monthDays.length > 0 ? Array.from({ length: 12 }, (_, index) => index + 1) : [first.month];
  const wanted = (months.length > 0 ? months : all).toSorted((left, right) => left - right);
  return wanted.flatMap(month => daysOfMonth(rule, { year, month }, first.day));
}

/** The dates of a month: BYMONTHDAY, which BYDAY restricts; else BYDAY; else the day on which the rule starts. */
function daysOfMonth(rule: Rule, { year, month }: Month, startDay: number): number[] {
  const [begins, ends] = [dayOf(year, month, 1), dayOf(year, month + 1, 1)];
  const byWeekday = rule.weekdays.length === 0 ? null : daysOfWeekdays(rule, begins, ends);
  if (rule.monthDays.length === 0 && byWeekday !== null) return byWeekday;
  const wanted = rule.monthDays.length === 0 ? [startDay] : rule.monthDays;
  const days = wanted
    .map(day => (day > 0 ? begins + day - 1 : ends + day))
    .filter(day => day >= begins && day < ends && (byWeekday === null || byWeekday.includes(day)));
  return [...new Set(days)].sort((left, right) => left - right);
}

/** The dates in [begins, ends) that BYDAY names; ordinals count within it. */
function daysOfWeekdays({ weekdays }: Rule, begins: number, ends: number): number[] {
  const found = new Set<number>();
  for (const { weekday, ordinal } of weekdays) {
    const first = begins + ((weekday - weekdayOf(begins) + 7) % 7);
    const count = Math.ceil((ends - first) / 7);
    if (ordinal === null) for (let index = 0; index < count; index++) found.add(first + 7 * index);
    else {
      const index = ordinal > 0 ? ordinal - 1 : count + ordinal;
      if (index >= 0 && index < count) found.add(first + 7 * index);
    }
  }
  return [...found].sort((left, right) => left - right);
}

function atPositions({ positions }: Rule, days: readonly number[]): number[] {
  if (positions.length === 0) return [...days];
  const chosen = positions.flatMap(position => days.at(position > 0 ? position - 1 : position) ?? []);
  return [...new Set(chosen)].sort((left, right) => left - right);
}
