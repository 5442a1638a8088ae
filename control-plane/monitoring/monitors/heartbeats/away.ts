import { dayMs, minuteMs, secondMs } from '#shared/duration.ts';

/** When a front took signals: from its start until it was last known to run. */
export type Attendance = { startedAt: number; renewedAt: number };
/** Time in which no front took signals. */
export type Gap = { from: number; until: number };

/** A front renews its row every two seconds; one that did not for so long is away. */
export const attendanceMs = 15 * secondMs;
/** How long their rows are kept. */
export const attendanceDays = 31;

/** Pure: since when the rows say whether a front took signals: before, one is taken to have done. */
export function attendedSince(sinceMs: number, nowMs: number): number {
  return Math.max(sinceMs, nowMs - attendanceDays * dayMs);
}

/** Pure: the times after `sinceMs` in which no front took signals. */
export function gapsOf(rows: readonly Attendance[], sinceMs: number, nowMs: number): Gap[] {
  const gaps: Gap[] = [];
  let until = sinceMs;
  for (const { startedAt, renewedAt } of rows.toSorted((left, right) => left.startedAt - right.startedAt)) {
    if (startedAt > until + attendanceMs) gaps.push({ from: until, until: startedAt });
    until = Math.max(until, renewedAt);
  }
  if (nowMs > until + attendanceMs) gaps.push({ from: until, until: nowMs });
  return gaps;
}

/** Pure: until when all fronts that run have said that no signal waits at them to be stored. */
export function heardUntil(rows: readonly Attendance[], nowMs: number): number {
  const running = rows.filter(({ renewedAt }) => renewedAt > nowMs - attendanceMs);
  return Math.min(nowMs, ...running.map(({ renewedAt }) => renewedAt));
}

/**
 * Pure: a deadline that stood still while nobody took signals. Senders get a little more afterwards: those that could
 * not reach us send at their next time.
 */
export function extendedDeadline(fromMs: number, deadlineMs: number, graceMs: number, gaps: readonly Gap[]): number {
  let deadline = deadlineMs;
  let wasAway = false;
  for (const gap of gaps) {
    const start = Math.max(gap.from, fromMs);
    if (gap.until <= start || start >= deadline) continue;
    deadline += gap.until - start;
    wasAway = true;
  }
  return wasAway ? deadline + Math.min(graceMs, minuteMs) : deadline;
}
