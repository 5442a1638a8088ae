import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import { type Cron, isDayOf } from './cron.ts';
import { type CronTime, changeMs, cronTimesIn, nextCronTime, offsetMsOf } from './cron-times.ts';

/** From `from` until `until` wall times are `offsetMs` ahead: no clock is set near either. */
type Steady = { from: number; until: number; offsetMs: number };
type Fields = { hours: readonly number[]; minutes: readonly number[] };

/** The times in (from, until], around a change of the clocks. */
type Listed = { from: number; until: number; times: readonly CronTime[] };

/**
 * Finds times as `nextCronTime` does, for one instant after the other: by arithmetic where no clock is set, and else
 * some hours at once. Times of each minute cost a fifteenth.
 */
export function cronTimes(cron: Cron, timezone: string): (afterMs: number) => CronTime | null {
  const sorted = (set: ReadonlySet<number>) => [...set].sort((left, right) => left - right);
  const fields = { hours: sorted(cron.hours), minutes: sorted(cron.minutes) };
  let steady: Steady | null = null;
  let listed: Listed | null = null;
  return afterMs => {
    if (!covers(steady, afterMs)) steady = steadyFrom(timezone, afterMs);
    if (steady !== null) {
      const at = steadyTime(cron, fields, steady, afterMs);
      return at === null ? nextCronTime(cron, timezone, afterMs) : { at, from: at };
    }
    if (!covers(listed, afterMs)) {
      const until = afterMs + changeMs;
      listed = { from: afterMs, until, times: cronTimesIn(cron, timezone, afterMs, until) };
    }
    return listed?.times.find(({ at }) => at > afterMs) ?? nextCronTime(cron, timezone, afterMs);
  };
}

function covers(known: Pick<Steady, 'from' | 'until'> | null, ms: number): boolean {
  return known !== null && ms >= known.from && ms < known.until;
}

/** Looks a day ahead, as closely as `nextCronTime`; null if a clock is set soon. */
function steadyFrom(timezone: string, afterMs: number): Steady | null {
  const offsetMs = offsetMsOf(timezone, afterMs - changeMs);
  let until = Number.NEGATIVE_INFINITY;
  for (let ms = afterMs; ms <= afterMs + dayMs; ms += 2 * changeMs) {
    if (offsetMsOf(timezone, ms + changeMs) !== offsetMs) break;
    until = ms;
  }
  return until > afterMs ? { from: afterMs, until, offsetMs } : null;
}

/** The first time after an instant; null if it is not in the steady time. */
function steadyTime(cron: Cron, { hours, minutes }: Fields, steady: Steady, afterMs: number): number | null {
  const wall = Math.floor(afterMs) + steady.offsetMs;
  const today = Math.floor(wall / dayMs) * dayMs;
  for (let day = today; day <= steady.until + steady.offsetMs; day += dayMs) {
    const date = new Date(day);
    if (!isDayOf(cron, { month: date.getUTCMonth() + 1, day: date.getUTCDate(), weekday: date.getUTCDay() })) continue;
    for (const hour of hours) {
      if (day + (hour + 1) * hourMs <= wall) continue;
      for (const minute of minutes) {
        const time = day + hour * hourMs + minute * minuteMs;
        if (time > wall) return time - steady.offsetMs <= steady.until ? time - steady.offsetMs : null;
      }
    }
  }
  return null;
}
