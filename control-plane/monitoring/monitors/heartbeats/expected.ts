import { dayMs, minuteMs, secondMs } from '#shared/duration.ts';
import { parseCron } from './cron.ts';
import { type CronTime, cronGapMs, nextCronTime } from './cron-times.ts';

/** When signals are expected. `graceSeconds` is null as long as it is not set. */
export type Timing = {
  cron: string | null;
  timezone: string;
  intervalSeconds: number;
  graceSeconds: number | null;
  maxRunSeconds: number | null;
};

/** A time at which a success is expected. From `from` on one counts for it; `gapMs` is to the next time. */
export type Expected = CronTime & { gapMs: number };

const earlyMaxMs = minuteMs;
/** The interval of a cron expression that is stored: of times from here on. */
const referenceMs = Date.UTC(2025, 0, 1);

/** Pure: how long after the expected time a success is in time. */
export function graceMs({ graceSeconds }: Pick<Timing, 'graceSeconds'>, gapMs: number): number {
  if (graceSeconds !== null) return graceSeconds * secondMs;
  return Math.max(minuteMs, Math.min(60 * minuteMs, Math.floor(gapMs / 5)));
}

/** Pure: what is expected after a success; null if a cron expression has no time within 366 days. */
export function expectedAfter(timing: Timing, successAt: number): Expected | null {
  if (timing.cron === null) {
    const gapMs = timing.intervalSeconds * secondMs;
    const at = successAt + gapMs;
    return { at, from: at - earlyMs(gapMs), gapMs };
  }
  let next = cronTimeAfter(timing, successAt);
  // A success shortly before a time counts for that one.
  while (next !== null && successAt >= next.from) next = cronTimeAfter(timing, next.at);
  return next;
}

/** Pure: the first time of a cron expression after an instant, with the time from which a success counts for it. */
export function cronTimeAfter({ cron, timezone }: Pick<Timing, 'cron' | 'timezone'>, afterMs: number): Expected | null {
  const parsed = cron === null ? null : parseCron(cron);
  const next = parsed === null ? null : nextCronTime(parsed, timezone, afterMs);
  if (parsed === null || next === null) return null;
  const following = nextCronTime(parsed, timezone, next.at);
  const gapMs = following === null ? (cronGapMs(parsed, timezone, referenceMs) ?? dayMs) : following.at - next.at;
  return { at: next.at, from: Math.min(next.from, next.at - earlyMs(gapMs)), gapMs };
}

/** Pure: the interval that the settings of a heartbeat say by themselves; null without a cron expression. */
export function intervalOf(own: { cron: string | null; timezone: string } | null | undefined): number | null {
  return own?.cron == null ? null : cronIntervalSeconds(own.cron, own.timezone);
}

/** Pure: the interval that is stored with a cron expression, in seconds; null if it has no times. */
export function cronIntervalSeconds(cron: string, timezone: string): number | null {
  const parsed = parseCron(cron);
  const gap = parsed === null ? null : cronGapMs(parsed, timezone, referenceMs);
  return gap === null ? null : Math.round(gap / secondMs);
}

function earlyMs(gapMs: number): number {
  return Math.min(earlyMaxMs, Math.floor(gapMs / 10));
}
