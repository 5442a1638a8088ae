import { toTimestamp } from '#shared/clock.ts';
import type { Impact, Verdict } from '#shared/vocabulary.ts';

/** A monitor as a screen's tile. `since` is in milliseconds. */
export type ScreenMonitor = {
  name: string;
  status: Verdict | 'maintenance';
  /** The verdict, also of those in maintenance. */
  verdict: Verdict;
  since: number;
  /** Whether somebody has acknowledged its alert. */
  acknowledged: boolean;
  /** The error's code or the status code of its alert: `timeout`, `503`. */
  code: string | null;
  /** Regions that vote down or warn. */
  regions: readonly string[];
};

/** Everything that a screen shows. */
export type ScreenFacts = {
  project: string;
  /** How many monitors there are, by status; those in maintenance have that instead. */
  counts: Record<string, number>;
  /** The worst first, and at most as many as asked for. */
  monitors: ScreenMonitor[];
  incidents: { title: string; impact: Impact; started_at: number }[];
};

/** What a screen reads, every few seconds. Names and states only: it may hang where anybody can see it. */
export function viewScreen(wall: { name: string }, facts: ScreenFacts, version: string, nowMs: number) {
  return {
    name: wall.name,
    project: facts.project,
    /** Changes with the screen's own script, which is then loaded again. */
    version,
    as_of: toTimestamp(nowMs),
    counts: facts.counts,
    monitors: facts.monitors.map(monitor => ({ ...monitor, since: toTimestamp(monitor.since) })),
    incidents: facts.incidents.map(incident => ({ ...incident, started_at: toTimestamp(incident.started_at) })),
  };
}
