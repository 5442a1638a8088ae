import type { Incident, Release, TimelineItem } from '../../session/api-types.ts';

/** The events of one session; null for those without one. */
export type ChartRow = { session: string | null; items: readonly TimelineItem[]; fromMs: number; toMs: number };

/** Sessions of a timeline, the latest first; events without a session come last. */
export function chartRowsOf(items: readonly TimelineItem[]): ChartRow[] {
  const sessions = new Map<string | null, TimelineItem[]>();
  for (const item of items) {
    if (item.type === 'release') continue;
    const session = item.session_id ?? null;
    sessions.set(session, [...(sessions.get(session) ?? []), item]);
  }
  const chartRows = [...sessions].map(([session, found]) => {
    const instants = found.map(({ timestamp }) => Date.parse(timestamp));
    return { session, items: found, fromMs: Math.min(...instants), toMs: Math.max(...instants) };
  });
  return chartRows.sort(
    (left, right) => Number(left.session === null) - Number(right.session === null) || right.toMs - left.toMs,
  );
}

/** The time that all rows cover, with a margin, and a minute at least. */
export function rangeOf(chartRows: readonly ChartRow[]): { fromMs: number; toMs: number } {
  const fromMs = Math.min(...chartRows.map(chartRow => chartRow.fromMs));
  const toMs = Math.max(...chartRows.map(chartRow => chartRow.toMs));
  const margin = Math.max(30_000, (toMs - fromMs) * 0.04);
  return { fromMs: fromMs - margin, toMs: toMs + margin };
}

/** What happened around the user: releases as instants, incidents as spans, cut at the range. */
export function marksOf(
  { fromMs, toMs }: { fromMs: number; toMs: number },
  releases: readonly Release[],
  incidents: readonly Incident[],
  nowMs: number,
) {
  const place = (ms: number) => Math.min(1, Math.max(0, (ms - fromMs) / (toMs - fromMs)));
  return {
    releases: releases
      .map(release => ({ release, ms: Date.parse(release.released_at) }))
      .filter(({ ms }) => ms >= fromMs && ms <= toMs)
      .map(({ release, ms }) => ({ release, at: place(ms) })),
    incidents: incidents
      .map(incident => {
        const endMs = incident.resolved_at === null ? nowMs : Date.parse(incident.resolved_at);
        return { incident, startMs: Date.parse(incident.started_at), endMs };
      })
      .filter(({ startMs, endMs }) => startMs <= toMs && endMs >= fromMs)
      .map(({ incident, startMs, endMs }) => ({ incident, from: place(startMs), to: place(endMs) })),
  };
}

/** `3 sessions, 14 events, 2 errors`. */
export function describeRows(chartRows: readonly ChartRow[]): { sessions: number; events: number; errors: number } {
  const items = chartRows.flatMap(chartRow => chartRow.items);
  const errors = items.filter(({ type }) => type === 'error').length;
  return {
    sessions: chartRows.filter(({ session }) => session !== null).length,
    events: items.length - errors,
    errors,
  };
}
