import { lifetimeOf } from '../monitors/state/state.ts';
import type { RegionFault } from './region-fault-store.ts';
import type { StoredObservation, StoredVersion } from './store.ts';
import { type Judged, observe, reconfigure, requarantine, type Standing } from './timeline.ts';
import { toObservation } from './vote.ts';

/** Everything that determines a part of a monitor's history. Versions are in order of time. */
export type Past = {
  observations: readonly StoredObservation[];
  versions: readonly StoredVersion[];
  faults: readonly RegionFault[];
};

/**
 * One thing that happened, and how it changes the standing. `quarantined` is set if it changes the quarantined regions.
 */
export type HistoryEvent = {
  at: number;
  apply(standing: Standing, quarantined: ReadonlySet<string>): Judged & { quarantined?: ReadonlySet<string> };
};

/**
 * Versions and faults in (start, end] and all observations, in order; at the same instant versions and faults come
 * first.
 */
export function eventsOf(past: Past, startMs: number, endMs: number): HistoryEvent[] {
  const byVersion = new Map(past.versions.map(version => [version.rules.configVersion, version]));
  const changes = [...past.versions.map(versionEvent), ...past.faults.flatMap(faultEvents)];
  const observations = past.observations.map(observation => observationEvent(observation, byVersion));
  return [...changes.filter(({ at }) => at > startMs && at <= endMs), ...observations].sort(
    (left, right) => left.at - right.at,
  );
}

function versionEvent(version: StoredVersion): HistoryEvent {
  return {
    at: version.at,
    apply: (standing, quarantined) => reconfigure(standing, { ...version, atMs: version.at }, quarantined),
  };
}

/**
 * Results of another version than the one in force change nothing. By the clock of its agent a check may have ended
 * before its version came into force: it counts from then on, as when it was judged.
 */
function observationEvent(observation: StoredObservation, byVersion: ReadonlyMap<number, StoredVersion>): HistoryEvent {
  const version = byVersion.get(observation.config_version);
  const rules = version?.rules;
  return {
    at: Math.max(version?.at ?? 0, Math.min(observation.completed_at, observation.received_at)),
    apply: (standing, quarantined) => {
      // What a signal says does not depend on the settings.
      const isOther = observation.config_version !== standing.rules.configVersion && observation.region !== 'heartbeat';
      if (rules === undefined || isOther) return { standing, changes: [] };
      const lifetimeMs = lifetimeOf(observation.region, rules);
      return observe(standing, toObservation(toObserved(observation), lifetimeMs), quarantined);
    },
  };
}

function faultEvents(fault: RegionFault): HistoryEvent[] {
  const event = (at: number, change: (regions: Set<string>) => void): HistoryEvent => ({
    at,
    apply: (standing, quarantined) => {
      const after = new Set(quarantined);
      change(after);
      return { ...requarantine(standing, at, quarantined, after), quarantined: after };
    },
  });
  const start = event(fault.since, regions => regions.add(fault.region));
  return fault.until === null ? [start] : [start, event(fault.until, regions => regions.delete(fault.region))];
}

function toObserved(row: StoredObservation) {
  return {
    region: row.region,
    status: row.status,
    failureSource: row.failure_source,
    attempt: row.attempt,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    receivedAt: row.received_at,
  };
}

/** The times a region was quarantined, for the project or for all, without overlaps. `faults` are in order of start. */
export function mergeFaults(faults: readonly RegionFault[]): RegionFault[] {
  const end = ({ until }: RegionFault) => until ?? Number.POSITIVE_INFINITY;
  const merged = new Map<string, RegionFault[]>();
  for (const fault of faults) {
    const ofRegion = merged.get(fault.region) ?? [];
    const last = ofRegion.at(-1);
    if (last === undefined || fault.since > end(last)) ofRegion.push(fault);
    else if (end(fault) > end(last)) ofRegion[ofRegion.length - 1] = { ...last, until: fault.until };
    merged.set(fault.region, ofRegion);
  }
  return [...merged.values()].flat();
}
