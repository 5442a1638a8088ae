import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import { limits } from '../../events/event.ts';
import type { Marker } from '../../releases/store.ts';

/** Whole hours [fromMs, toMs), and the runs of minutes with arrivals that affect them. */
export type Span = { fromMs: number; toMs: number; runs: [from: number, to: number][] };

export function floorHour(ms: number): number {
  return Math.floor(ms / hourMs) * hourMs;
}

export function ceilHour(ms: number): number {
  return Math.ceil(ms / hourMs) * hourMs;
}

/**
 * True if every event that an entry of this hour can lead to is still retained: only then may its steps be replaced.
 * Events arrive at most an hour before their timestamp, and those of the entry's window arrive later still.
 */
export function isFullyRetained(hour: number, rawFromMs: number): boolean {
  return hour - limits.aheadMs >= rawFromMs;
}

/** Events of this project that arrived earlier are past their retention. */
export function rawFrom(project: { event_retention_days: number }, nowMs: number): number {
  return nowMs - project.event_retention_days * dayMs;
}

/** The first hour whose entries are all retained; null if none can be lost, since the project is younger than that. */
export function completeFrom(projectCreatedMs: number, rawFromMs: number): number | null {
  return projectCreatedMs >= rawFromMs ? null : ceilHour(rawFromMs + limits.aheadMs);
}

/** The release that an entry at this instant is attributed to: that of the last marker not after it; '' for none. */
export function releaseAt(markers: readonly Marker[], atMs: number): string {
  return markers.findLast(marker => marker.atMs <= atMs)?.id ?? '';
}

/** The ends of [fromMs, toMs) and the given instants between them, ascending and without repeats. */
export function boundsWithin(fromMs: number, toMs: number, instants: Iterable<number>): number[] {
  const within = [...instants].filter(ms => ms > fromMs && ms < toMs);
  return [...new Set([fromMs, ...within, toMs])].sort((left, right) => left - right);
}

/** The hours that [fromMs, toMs) touches, ascending. */
export function hoursIn(fromMs: number, toMs: number): number[] {
  const hours: number[] = [];
  for (let hour = floorHour(fromMs); hour < toMs; hour += hourMs) hours.push(hour);
  return hours;
}

/**
 * Where arrivals in these minutes (ascending) can have moved entries: each run of minutes with the window before it, in
 * whole hours, joined where they touch. The cost depends on the minutes, not on the time between the first and the
 * last.
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

/** Runs of consecutive hours, or of other steps of time, as [from, to). The instants are ascending. */
export function runsOf(instants: readonly number[], stepMs = hourMs): [from: number, to: number][] {
  const runs: [number, number][] = [];
  for (const instant of instants) {
    const last = runs.at(-1);
    if (last?.[1] === instant) last[1] = instant + stepMs;
    else runs.push([instant, instant + stepMs]);
  }
  return runs;
}
