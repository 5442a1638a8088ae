import { Temporal } from 'temporal-polyfill';
import { hourMs } from '#shared/duration.ts';
import {
  noSpans,
  observedMs,
  type Row,
  type Spans,
  spansByBucket,
  uptimeOf,
} from '../../../monitoring/verdicts/spans.ts';
import type { Day, DayLevel } from './page-model.ts';

/**
 * Days of a time zone: their dates, and the bounds between them, one more than there are days. The last day ends now.
 */
export type Calendar = { dates: readonly string[]; bounds: readonly number[] };

/** The last `count` days of a time zone, which have 23 or 25 hours when clocks change. */
export function calendarOf(timezone: string, count: number, nowMs: number): Calendar {
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timezone).toPlainDate();
  const dates = Array.from({ length: count }, (_, index) => today.subtract({ days: count - 1 - index }));
  const bounds = dates.map(date => date.toZonedDateTime(timezone).epochMilliseconds);
  return { dates: dates.map(String), bounds: [...bounds, nowMs] };
}

/** The instant at which the next day of the time zone starts. */
export function nextMidnight(timezone: string, nowMs: number): number {
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timezone).toPlainDate();
  return today.add({ days: 1 }).toZonedDateTime(timezone).epochMilliseconds;
}

const fromWorst: readonly Row['verdict'][] = ['down', 'degraded', 'up', 'maintenance', 'undetermined', 'paused'];

/**
 * Merges timelines of several monitors: at each instant the worst measured verdict. A monitor without data neither
 * hides another's downtime nor adds uptime.
 */
export function mergeTimelines(timelines: readonly (readonly Row[])[]): Row[] {
  const [only] = timelines;
  if (timelines.length === 1 && only !== undefined) return [...only];
  const current = new Map<number, Row['verdict']>();
  const counts = new Map<Row['verdict'], number>();
  const count = (verdict: Row['verdict'], change: 1 | -1) => counts.set(verdict, (counts.get(verdict) ?? 0) + change);
  const events = timelines.flatMap((rows, monitor) => rows.map(row => ({ ...row, monitor })));
  events.sort((left, right) => left.since - right.since);
  const merged: Row[] = [];
  const imported = new Set<number>();
  for (const { since, verdict, monitor, source } of events) {
    const before = current.get(monitor);
    if (before !== undefined) count(before, -1);
    current.set(monitor, verdict);
    count(verdict, 1);
    if (source === undefined) imported.delete(monitor);
    else imported.add(monitor);
    const worst = worstVerdict(counts);
    // Only what all monitors brought along is not of here.
    const from = source === undefined || imported.size < current.size ? {} : { source };
    if (merged.at(-1)?.since === since) merged.pop();
    const last = merged.at(-1);
    if (last?.verdict !== worst || last.source !== from.source) merged.push({ since, verdict: worst, ...from });
  }
  return merged;
}

/** What identifies a set of monitors, whose ids are in order. */
const setOf = (monitorIds: readonly string[]) => monitorIds.join(' ');

/** For each monitor the number of different sets it is in: how often its rows are merged. */
export function mergesOf(sets: readonly (readonly string[])[]): Map<string, number> {
  const merges = new Map<string, number>();
  for (const monitorIds of new Map(sets.map(ids => [setOf(ids), ids])).values())
    for (const id of monitorIds) merges.set(id, (merges.get(id) ?? 0) + 1);
  return merges;
}

/** Computes the days of sets of monitors: of each set once, however many components have it. */
export function daysBySet(
  timelines: ReadonlyMap<string, readonly Row[]>,
  calendar: Calendar,
): (monitorIds: readonly string[]) => ReturnType<typeof daysOf> {
  const known = new Map<string, ReturnType<typeof daysOf>>();
  return monitorIds => {
    const set = setOf(monitorIds);
    const days = known.get(set) ?? daysOf(mergeTimelines(monitorIds.map(id => timelines.get(id) ?? [])), calendar);
    known.set(set, days);
    return days;
  };
}

/** Days with their downtime, and the uptime over all of them; uptime is null if nothing was measured. */
export function daysOf(rows: readonly Row[], calendar: Calendar): { days: Day[]; uptime: number | null } {
  const spans = spansByBucket(rows, calendar.bounds);
  const total = spans.reduce(addSpans, noSpans);
  const source = rows.findLast(row => row.source !== undefined)?.source;
  const days = spans.map((span, index) => ({
    date: calendar.dates[index] ?? '',
    level: levelOf(span),
    uptime: uptimeOf(span),
    downMs: span.down,
    degradedMs: span.degraded,
    ...(source !== undefined && span.imported > 0 ? { importedFrom: source } : {}),
  }));
  return { days, uptime: uptimeOf(total) };
}

/** A day is `down` after an hour of downtime, or if more than half of the measured time was down; else `partial`. */
export function levelOf(spans: Spans): DayLevel {
  const observed = observedMs(spans);
  if (observed === 0) return 'none';
  if (spans.down >= hourMs || spans.down > observed / 2) return 'down';
  if (spans.down > 0) return 'partial';
  return spans.degraded > 0 ? 'degraded' : 'up';
}

/** The worst verdict that any monitor has; `counts` says how many have which. */
function worstVerdict(counts: ReadonlyMap<Row['verdict'], number>): Row['verdict'] {
  const has = (verdict: Row['verdict']) => (counts.get(verdict) ?? 0) > 0;
  return fromWorst.find(has) ?? (has('pending') ? 'undetermined' : 'deleted');
}

function addSpans(left: Spans, right: Spans): Spans {
  return {
    up: left.up + right.up,
    degraded: left.degraded + right.degraded,
    down: left.down + right.down,
    paused: left.paused + right.paused,
    maintenance: left.maintenance + right.maintenance,
    undetermined: left.undetermined + right.undetermined,
    imported: left.imported + right.imported,
  };
}
