import type { Sql } from '../../../platform/db/sql.ts';
import type { Marker } from '../../releases/store.ts';
import { addUser, emptySet, mergeSets, storedExactMax } from '../../user-sets/user-set.ts';
import type { FlowVersion } from '../flow.ts';
import { listActors, listEntryHours } from '../funnel/entry-store.ts';
import { eachUser } from '../funnel/funnel.ts';
import { findVersion, type VersionWork } from '../store.ts';
import {
  boundsWithin,
  completeFrom,
  floorHour,
  hoursIn,
  isFullyRetained,
  releaseAt,
  runsOf,
  spansOf,
} from './dirty-hours.ts';
import { type HourlyStep, keyOf, mergeRecount } from './hourly-step.ts';
import { deleteEmptySteps, deleteHourlySteps, listHourlySteps, saveHourlySteps } from './hourly-step-store.ts';
import { takePostponedMinutes } from './postponed-store.ts';
import { markHours, setFilled, takeDirtyHours } from './queue-store.ts';
import { portionOf } from './slow-version.ts';

/** What the roll-up of one project needs. */
export type RollUpContext = {
  sql: Sql;
  projectId: string;
  markers: readonly Marker[];
  /** Events that arrived earlier are past their retention. */
  rawFromMs: number;
  projectCreatedMs: number;
  nowMs: number;
};

const actorsMax = 2000;
const dirtyHoursMax = 24;
/** Of a version that was too slow, at its first new attempt half as many. */
const postponedMinutesMax = 480;

/**
 * Does a bounded part of one version's work: what was postponed for it, or else the minutes that arrived. Returns
 * whether any may be left.
 */
export async function rollUpVersion(
  context: RollUpContext,
  work: VersionWork,
  arrived: readonly number[],
): Promise<boolean> {
  const { sql } = context;
  const version = await findVersion(sql, work.flowId, work.version);
  if (version === null) return false;
  const minutesMax = work.failures === 0 ? null : portionOf(postponedMinutesMax, work.failures);
  const minutes = work.isBehind ? await takePostponedMinutes(sql, work, minutesMax) : arrived;
  if (!work.isFilled) await backfill(context, version);
  else if (minutes.length > 0) await applyArrivals(context, version, minutes);
  const hoursMax = portionOf(dirtyHoursMax, work.failures);
  const recomputed = await recomputeDirtyHours(context, version, hoursMax);
  return recomputed === hoursMax || (work.isBehind && minutes.length === minutesMax);
}

/**
 * Marks every hour of raw events that a new version has to be computed for. Earlier hours cannot be computed any more.
 */
async function backfill(context: RollUpContext, version: FlowVersion): Promise<void> {
  const { sql, projectId, rawFromMs, projectCreatedMs, nowMs } = context;
  const hours = await listEntryHours(sql, projectId, version, rawFromMs, null);
  await markHours(sql, version, hours);
  await setFilled(sql, version, nowMs, completeFrom(projectCreatedMs, rawFromMs));
}

/** Recounts only the users whom arrivals can have moved. */
async function applyArrivals(context: RollUpContext, version: FlowVersion, minutes: readonly number[]): Promise<void> {
  const { sql, projectId } = context;
  for (const { fromMs, toMs, runs } of spansOf(minutes, version.windowSeconds * 1000)) {
    const actors = new Set<number>();
    for (const [start, end] of runs)
      for (const actor of await listActors(sql, projectId, version, start, end)) actors.add(actor);
    const list = [...actors];
    for (let start = 0; start < list.length; start += actorsMax)
      await recountActors(context, version, list.slice(start, start + actorsMax), fromMs, toMs);
  }
}

async function recountActors(
  context: RollUpContext,
  version: FlowVersion,
  actors: readonly number[],
  fromMs: number,
  toMs: number,
): Promise<void> {
  const { sql, rawFromMs } = context;
  const recounted = await computeHourlySteps(context, version, fromMs, toMs, actors);
  const hours = [...new Set([...recounted.values()].map(step => step.hour))].sort((left, right) => left - right);
  const stored = new Map<string, HourlyStep>();
  for (const [start, end] of runsOf(hours))
    for (const step of await listHourlySteps(sql, version, start, end, null)) stored.set(keyOf(step), step);
  const isStrict = version.order === 'strict';
  const { changed, dirtyHours } = mergeRecount(stored, recounted, hour =>
    isStrict && isFullyRetained(hour, rawFromMs) ? actors : [],
  );
  await saveHourlySteps(sql, version, changed);
  const emptied = changed.filter(({ users }) => users.kind === 'exact' && users.users.size === 0);
  const emptiedHours = emptied.map(step => step.hour);
  if (emptiedHours.length > 0) await deleteEmptySteps(sql, version, emptiedHours);
  await markHours(sql, version, [...dirtyHours]);
}

/** Recomputes some of the dirty hours, and returns how many. */
async function recomputeDirtyHours(context: RollUpContext, version: FlowVersion, hoursMax: number): Promise<number> {
  const { sql, rawFromMs } = context;
  const hours = await takeDirtyHours(sql, version, hoursMax);
  for (const [fromMs, toMs] of runsOf(hours)) {
    const steps = await computeHourlySteps(context, version, fromMs, toMs, null);
    const replaceable = hoursIn(fromMs, toMs).filter(hour => isFullyRetained(hour, rawFromMs));
    await deleteHourlySteps(sql, version, replaceable);
    // Of the other hours raw events are partly deleted: their users are only added to.
    for (const stored of await listHourlySteps(sql, version, fromMs, toMs, null)) {
      const computed = steps.get(keyOf(stored));
      if (computed !== undefined) computed.users = mergeSets(computed.users, stored.users, storedExactMax);
    }
    await saveHourlySteps(sql, version, [...steps.values()]);
  }
  return hours.length;
}

/** The steps of entries in [fromMs, toMs), from raw events, by their keys; of all users if `actors` is null. */
async function computeHourlySteps(
  { sql, projectId, markers, rawFromMs }: RollUpContext,
  version: FlowVersion,
  fromMs: number,
  toMs: number,
  actors: readonly number[] | null,
): Promise<Map<string, HourlyStep>> {
  const bounds = boundsWithin(fromMs, toMs, [...hoursIn(fromMs, toMs), ...markers.map(marker => marker.atMs)]);
  const buckets = bounds.map(atMs => ({ hour: floorHour(atMs), releaseId: releaseAt(markers, atMs) }));
  const steps = new Map<string, HourlyStep>();
  await eachUser(sql, { projectId, rule: version, bounds, rawFromMs, actors }, ({ actor, bucket, depth }) => {
    const entry = buckets[bucket - 1];
    if (entry === undefined) return;
    for (let step = 1; step <= depth; step++) {
      const key = keyOf({ ...entry, step });
      const hourly = steps.get(key) ?? { ...entry, step, users: emptySet() };
      hourly.users = addUser(hourly.users, actor, storedExactMax);
      steps.set(key, hourly);
    }
  });
  return steps;
}
