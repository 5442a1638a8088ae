import { dayMs, minuteMs } from '#shared/duration.ts';

/** Instants in milliseconds, the end not included. */
export type Span = { fromMs: number; toMs: number };

const windowMaxMs = 7 * dayMs;
export const windowMinMs = minuteMs;
const weeksBack = [1, 2, 3, 4];
/** A baseline may share this much with another incident. */
const disturbedMax = 0.1;
const sideMs = 60 * minuteMs;
const lateMs = 15 * minuteMs;

/** The time of an incident, cut at seven days. */
export function windowOf(
  { startedAt, resolvedAt }: { startedAt: number; resolvedAt: number | null },
  nowMs: number,
): Span {
  const toMs = Math.max(startedAt, Math.min(resolvedAt ?? nowMs, nowMs, startedAt + windowMaxMs));
  return { fromMs: startedAt, toMs };
}

/** The same hours of the four weeks before, of which the events are kept and no grave incident disturbed them. Pure. */
export function baselinesOf(
  window: Span,
  { keptFromMs, incidents }: { keptFromMs: number; incidents: readonly Span[] },
): Span[] {
  const shifted = weeksBack.map(weeks => shift(window, -7 * dayMs * weeks));
  return shifted.filter(span => {
    const disturbed = incidents.reduce((sum, incident) => sum + overlap(span, incident), 0);
    return span.fromMs >= keptFromMs && disturbed <= disturbedMax * (span.toMs - span.fromMs);
  });
}

/** The hours before and after a release, cut at its neighbours and now; the time before also in two parts. Pure. */
export function sidesOf(
  releasedAt: number,
  { previous, next, nowMs }: { previous: number | null; next: number | null; nowMs: number },
): { before: Span; after: Span; early: Span; late: Span } {
  const fromMs = Math.max(releasedAt - sideMs, previous ?? Number.NEGATIVE_INFINITY);
  const toMs = Math.max(releasedAt, Math.min(releasedAt + sideMs, next ?? Number.POSITIVE_INFINITY, nowMs));
  const middle = Math.max(fromMs, releasedAt - lateMs);
  return {
    before: { fromMs, toMs: releasedAt },
    after: { fromMs: releasedAt, toMs },
    early: { fromMs, toMs: middle },
    late: { fromMs: middle, toMs: releasedAt },
  };
}

function shift({ fromMs, toMs }: Span, byMs: number): Span {
  return { fromMs: fromMs + byMs, toMs: toMs + byMs };
}

function overlap(left: Span, right: Span): number {
  return Math.max(0, Math.min(left.toMs, right.toMs) - Math.max(left.fromMs, right.fromMs));
}
