import { dayMs, minuteMs, secondMs } from '#shared/duration.ts';
import { parseCron } from './cron.ts';
import { type CronTime, cronGapMs } from './cron-times.ts';
import { cronTimes } from './steady-times.ts';

/** Finds the first time of a cron expression after an instant. */
type NextTime = (afterMs: number) => CronTime | null;

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
export function expectedAfter(timing: Timing, successAt: number, next = nextTimeOf(timing)): Expected | null {
  if (timing.cron === null) {
    const gapMs = timing.intervalSeconds * secondMs;
    const at = successAt + gapMs;
    return { at, from: at - earlyMs(gapMs), gapMs };
  }
  let expected = cronTimeAfter(timing, successAt, next);
  // A success shortly before a time counts for that one.
  while (expected !== null && successAt >= expected.from) expected = cronTimeAfter(timing, expected.at, next);
  return expected;
}

/** As `expectedAfter`, for many successes in their order: each time of a cron expression is looked for once. */
export function expectations(timing: Timing): (successAt: number) => Expected | null {
  const find = nextTimeOf(timing);
  let found: { after: number; time: CronTime }[] = [];
  const next: NextTime = after => {
    const known = found.find(one => one.after <= after && after < one.time.at);
    if (known !== undefined) return known.time;
    const time = find(after);
    if (time !== null) found = [...found.slice(-2), { after, time }];
    return time;
  };
  return successAt => expectedAfter(timing, successAt, next);
}

/** Pure: the first time of a cron expression after an instant, with the time from which a success counts for it. */
export function cronTimeAfter(timing: Timing, afterMs: number, next = nextTimeOf(timing)): Expected | null {
  const time = next(afterMs);
  if (time === null) return null;
  const following = next(time.at);
  const gapMs = following === null ? usualGapMs(timing) : following.at - time.at;
  return { at: time.at, from: Math.min(time.from, time.at - earlyMs(gapMs)), gapMs };
}

function nextTimeOf({ cron, timezone }: Timing): NextTime {
  const parsed = cron === null ? null : parseCron(cron);
  return parsed === null ? () => null : cronTimes(parsed, timezone);
}

function usualGapMs({ cron, timezone }: Timing): number {
  const parsed = cron === null ? null : parseCron(cron);
  return (parsed === null ? null : cronGapMs(parsed, timezone, referenceMs)) ?? dayMs;
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
