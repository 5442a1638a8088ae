import type { Marker } from '../releases/store.ts';

export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
const aheadMs = 3_600_000;
const minuteMs = 60_000;

/** Whole hours, and the runs of minutes that made them. */
export type Span = { fromMs: number; toMs: number; runs: [from: number, to: number][] };

export function floorHour(ms: number): number {
  return Math.floor(ms / hourMs) * hourMs;
}

export function ceilHour(ms: number): number {
  return Math.ceil(ms / hourMs) * hourMs;
}

/**
 * True when every event that an entry of this hour can lead to is still kept raw: only then may its cells be replaced.
 * No event arrives more than an hour before it happens, and the events of the window arrive later still.
 */
export function isWhollyKept(hour: number, rawFromMs: number): boolean {
  return hour - aheadMs >= rawFromMs;
}

/** Which release an entry at this instant belongs to: that of the marker at or before it. */
export function releaseAt(markers: readonly Marker[], atMs: number): string {
  return markers.findLast(marker => marker.atMs <= atMs)?.id ?? '';
}

/** Instants that part [fromMs, toMs): its ends, and those of the given that lie within. */
export function boundsWithin(fromMs: number, toMs: number, instants: Iterable<number>): number[] {
  const within = [...instants].filter(ms => ms > fromMs && ms < toMs);
  return [...new Set([fromMs, ...within, toMs])].sort((left, right) => left - right);
}

export function hoursIn(fromMs: number, toMs: number): number[] {
  const hours: number[] = [];
  for (let hour = floorHour(fromMs); hour < toMs; hour += hourMs) hours.push(hour);
  return hours;
}

/**
 * Where arrivals in these minutes (in order) can have moved entries: each run of minutes with the window before it, in whole
 * hours, joined where they touch. The cost follows the minutes, not the time between the first and the last.
 */
export function spansOf(minutes: readonly number[], windowMs: number): Span[] {
  const spans: Span[] = [];
  for (const run of runsOf(minutes, minuteMs)) {
    const [fromMs, toMs] = [floorHour(run[0] - windowMs), ceilHour(run[1])];
    const last = spans.at(-1);
    if (last === undefined || last.toMs < fromMs) spans.push({ fromMs, toMs, runs: [run] });
    else {
      last.toMs = Math.max(last.toMs, toMs);
      last.runs.push(run);
    }
  }
  return spans;
}

/** Runs of hours that follow one another, as [from, to). */
export function runsOf(hours: readonly number[], stepMs = hourMs): [from: number, to: number][] {
  const runs: [number, number][] = [];
  for (const hour of hours) {
    const last = runs.at(-1);
    if (last?.[1] === hour) last[1] = hour + stepMs;
    else runs.push([hour, hour + stepMs]);
  }
  return runs;
}
