import type { ComponentStatus, Impact } from '#shared/vocabulary.ts';
import type { Calendar } from './days.ts';
import type { Day, DayLevel } from './page-model.ts';

/** The time in which one incident affected a component; `resolvedAt` is null while it is open. */
export type IncidentSpan = { impact: Impact; startedAt: number; resolvedAt: number | null };

type Segment = { from: number; to: number; level: DayLevel };

const fromBest: readonly DayLevel[] = ['none', 'up', 'degraded', 'partial', 'down'];
const levelOfImpact: Record<Impact, DayLevel> = { none: 'up', degraded: 'degraded', partial: 'partial', major: 'down' };
/** Maintenance is no trouble. */
const levelOfStatus: Record<ComponentStatus, DayLevel> = {
  operational: 'up',
  degraded_performance: 'degraded',
  partial_outage: 'partial',
  major_outage: 'down',
  under_maintenance: 'up',
};

/**
 * Days of a component that no monitor measures: each has the worst impact of its incidents, and the last one at least
 * what the operator set. Days before `createdAt` are without data.
 */
export function reportedDays(
  spans: readonly IncidentSpan[],
  calendar: Calendar,
  { createdAt, status }: { createdAt: number; status: ComponentStatus },
): { days: Day[]; incidentCount: number } {
  const [start = 0, end = 0] = [calendar.bounds[0], calendar.bounds.at(-1)];
  const shown = spans.filter(
    ({ impact, startedAt, resolvedAt }) =>
      impact !== 'none' && startedAt < end && (resolvedAt ?? end) >= Math.max(start, createdAt),
  );
  const segments = segmentsOf(shown, end);
  let first = 0;
  const days = calendar.dates.map((date, index): Day => {
    const [from = 0, to = 0] = [calendar.bounds[index], calendar.bounds[index + 1]];
    while (first < segments.length && (segments[first]?.to ?? 0) <= from) first += 1;
    if (to <= createdAt) return { date, level: 'none', uptime: null, downMs: 0, degradedMs: 0 };
    const isLast = index === calendar.dates.length - 1;
    return { date, uptime: null, ...dayOf(segments, first, from, to, isLast ? levelOfStatus[status] : 'up') };
  });
  return { days, incidentCount: shown.length };
}

/** Adds up the segments of one day, from the first that does not end before it. */
function dayOf(
  segments: readonly Segment[],
  first: number,
  from: number,
  to: number,
  least: DayLevel,
): Pick<Day, 'level' | 'downMs' | 'degradedMs'> {
  const day = { level: least, downMs: 0, degradedMs: 0 };
  for (let index = first; index < segments.length; index++) {
    const segment = segments[index];
    if (segment === undefined || segment.from >= to) break;
    const ms = Math.min(segment.to, to) - Math.max(segment.from, from);
    if (segment.level === 'degraded') day.degradedMs += ms;
    else day.downMs += ms;
    if (fromBest.indexOf(segment.level) > fromBest.indexOf(day.level)) day.level = segment.level;
  }
  return day;
}

/** Disjoint periods in order, each with the worst level of the incidents open in it. */
function segmentsOf(spans: readonly IncidentSpan[], end: number): Segment[] {
  const events = spans.flatMap(({ impact, startedAt, resolvedAt }) => {
    const level = fromBest.indexOf(levelOfImpact[impact]);
    // An incident that ended as it started still counts.
    const to = Math.max(resolvedAt ?? end, startedAt + 1);
    return [
      { at: startedAt, level, change: 1 },
      { at: to, level, change: -1 },
    ];
  });
  events.sort((left, right) => left.at - right.at);
  const open = fromBest.map(() => 0);
  const segments: Segment[] = [];
  for (const [index, { at, level, change }] of events.entries()) {
    open[level] = (open[level] ?? 0) + change;
    const next = events[index + 1]?.at ?? at;
    const worst = fromBest[open.findLastIndex(count => count > 0)];
    if (worst !== undefined && next > at) segments.push({ from: at, to: next, level: worst });
  }
  return segments;
}
