import type pg from 'pg';
import { secondMs } from '#shared/duration.ts';
import type { Sql } from '../../db/sql.ts';
import { sqlOf } from '../../db/sql.ts';
import { transaction } from '../../db/transaction.ts';
import { findProject } from '../../projects/store.ts';
import { listMarkers, type Marker } from '../../releases/store.ts';
import type { FlowVersion } from '../flow.ts';
import { listActors, listEntryHours } from '../funnel/entry-store.ts';
import { eachUser } from '../funnel/funnel.ts';
import { findVersion, listVersions, type VersionWork } from '../store.ts';
import {
  boundsWithin,
  completeFrom,
  floorHour,
  hoursIn,
  isFullyRetained,
  rawFrom,
  releaseAt,
  runsOf,
  spansOf,
} from './dirty-hours.ts';
import { type HourlyStep, keyOf, mergeRecount } from './hourly-step.ts';
import { deleteEmptySteps, deleteHourlySteps, listHourlySteps, saveHourlySteps } from './hourly-step-store.ts';
import {
  findOldestPendingOfAll,
  listProjectsWithWork,
  lockProject,
  markHours,
  type PendingMinutes,
  postponeMinutes,
  setFilled,
  takeDirtyHours,
  takePendingMinutes,
  takePostponedMinutes,
  takeReattributions,
} from './queue-store.ts';
import { reattribute } from './reattribute.ts';
import { addUser, emptySet, mergeSets, storedExactMax } from './user-set.ts';

/** What the roll-up of one project needs. */
type RollUpContext = {
  sql: Sql;
  projectId: string;
  markers: readonly Marker[];
  /** Events that arrived earlier are past their retention. */
  rawFromMs: number;
  projectCreatedMs: number;
  nowMs: number;
};

/** After `projectTimeMs` a project's other versions wait for its next turn. */
type RollUpOptions = { nowMs: number; projectTimeMs: number };

const pendingRowsMax = 20_000;
/** Hours of arrivals per round, over all versions; the rest waits for the next round. */
const pendingHoursMax = 500;
const pendingHoursMin = 2;
const actorsMax = 2000;
const projectsAtOnce = 2;
const dirtyHoursMax = 24;

/**
 * Brings `events_hourly` up to date with what arrived: a bounded part of each project's work, projects in turns and two
 * at a time, so that one of them never holds up all. Any number of replicas may run it. Returns whether work is left. A
 * project that fails keeps its work for the next call and delays no other; the failures are thrown together.
 */
export async function rollUp(pool: pg.Pool, nowMs: number, projectTimeMs = 5000): Promise<boolean> {
  let hasMore = false;
  const failures: unknown[] = [];
  const options = { nowMs, projectTimeMs };
  const projects = await listProjectsWithWork(sqlOf(pool));
  const takeTurns = async (): Promise<void> => {
    for (let id = projects.shift(); id !== undefined; id = projects.shift()) {
      const projectId = id;
      const projectHasMore = await transaction(pool, sql => rollUpProject(sql, projectId, options)).catch(error => {
        failures.push(error);
        return false;
      });
      hasMore ||= projectHasMore;
    }
  };
  await Promise.all(Array.from({ length: projectsAtOnce }, takeTurns));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} projects could not be rolled up`);
  return hasMore;
}

/** How long the oldest event waits that is not rolled up yet; 0 if none does. */
export async function rollUpLagSeconds(sql: Sql, nowMs: number): Promise<number> {
  const oldestMs = await findOldestPendingOfAll(sql);
  return oldestMs === null ? 0 : Math.max(0, nowMs - oldestMs) / secondMs;
}

/**
 * In one transaction, so that work taken from the queues returns to them if it fails. When the project's time is over,
 * what is left is postponed version by version, and nothing new is taken before that is done.
 */
async function rollUpProject(sql: Sql, projectId: string, { nowMs, projectTimeMs }: RollUpOptions): Promise<boolean> {
  const endMs = performance.now() + projectTimeMs;
  const project = await findProject(sql, projectId);
  if (project === null || !(await lockProject(sql, projectId))) return false;
  const versions = await listVersions(sql, projectId);
  const pending = await takeArrivals(sql, projectId, versions);
  const reattributions = await takeReattributions(sql, projectId);
  if (versions.length === 0) return pending.hasMore;
  const rawFromMs = rawFrom(project, nowMs);
  const markers = await listMarkers(sql, projectId);
  const context = { sql, projectId, markers, rawFromMs, projectCreatedMs: Date.parse(project.created_at), nowMs };
  let hasMore = pending.hasMore;
  for (const [index, work] of turnsOf(versions, nowMs).entries()) {
    if (work.isFilled) await reattribute(sql, work, reattributions, rawFromMs);
    const isDirty = work.isDirty || reattributions.length > 0;
    if (work.isFilled && !work.isBehind && !isDirty && pending.minutes.length === 0) continue;
    if (index > 0 && performance.now() > endMs) {
      hasMore = true;
      if (work.isFilled) await postponeMinutes(sql, work, pending);
    } else hasMore = (await rollUpVersion(context, work, pending.minutes)) || hasMore;
  }
  return hasMore;
}

/** Nothing as long as a version is behind, so that what is postponed stays bounded. */
function takeArrivals(sql: Sql, projectId: string, versions: readonly VersionWork[]): Promise<PendingMinutes> {
  if (versions.some(({ isBehind }) => isBehind))
    return Promise.resolve({ minutes: [], arrivedMs: null, hasMore: true });
  const hours = Math.max(pendingHoursMin, Math.floor(pendingHoursMax / Math.max(1, versions.length)));
  return takePendingMinutes(sql, projectId, { rows: pendingRowsMax, hours });
}

/** Those that are behind come first, in another order each second, so that none waits for ever. */
function turnsOf(versions: readonly VersionWork[], nowMs: number): VersionWork[] {
  const first = Math.floor(nowMs / secondMs) % versions.length;
  const turned = [...versions.slice(first), ...versions.slice(0, first)];
  return [...turned.filter(({ isBehind }) => isBehind), ...turned.filter(({ isBehind }) => !isBehind)];
}

async function rollUpVersion(context: RollUpContext, work: VersionWork, arrived: readonly number[]): Promise<boolean> {
  const { sql } = context;
  const version = await findVersion(sql, work.flowId, work.version);
  if (version === null) return false;
  const minutes = work.isBehind ? await takePostponedMinutes(sql, work) : arrived;
  if (!work.isFilled) await backfill(context, version);
  else if (minutes.length > 0) await applyArrivals(context, version, minutes);
  return recomputeDirtyHours(context, version);
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

/** Recomputes some of the dirty hours. Returns whether any may be left. */
async function recomputeDirtyHours(context: RollUpContext, version: FlowVersion): Promise<boolean> {
  const { sql, rawFromMs } = context;
  const hours = await takeDirtyHours(sql, version, dirtyHoursMax);
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
  return hours.length === dirtyHoursMax;
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
