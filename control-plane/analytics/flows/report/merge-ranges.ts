import { hourMs } from '#shared/duration.ts';
import { addUser, emptySet, mergedExactMax, mergeSets, sizeOf, type UserSet } from '../../user-sets/user-set.ts';
import { eachUser } from '../funnel/funnel.ts';
import type { HourlyStep } from '../roll-up/hourly-step.ts';
import { findLastHours, listHourlySteps } from '../roll-up/hourly-step-store.ts';
import type { PlannedRange } from './ranges.ts';
import {
  allEntries,
  boundsOf,
  type Groups,
  groupEnd,
  groupOf,
  groupStart,
  type ReportContext,
} from './report-context.ts';

/** Users of a group that may still grow, by step, and the instant from which on it does not. */
type OpenGroup = { steps: UserSet[]; endMs: number };

/** A merge on its way through the ranges. Closed groups are counts, open ones sets. */
type Merge = {
  context: ReportContext;
  open: Map<string, OpenGroup>;
  counts: Map<string, number[]>;
  estimated: boolean;
  /** The last hour of each release that was rolled up; empty unless grouped by release. */
  lastHours: ReadonlyMap<string, number>;
};

/**
 * Merges the ranges, which ascend in time. Only groups that may still grow are kept as sets: with hundreds of groups,
 * all sets would not fit into memory.
 */
export async function mergeRanges(context: ReportContext): Promise<Groups> {
  const lastHours = context.grouping === 'release' ? await lastHoursOf(context) : new Map<string, number>();
  const merge: Merge = { context, open: new Map(), counts: new Map(), estimated: false, lastHours };
  for (const range of context.ranges)
    await (range.source === 'hourly' ? mergeHourlyRange(merge, range) : mergeRawRange(merge, range));
  closeGroups(merge, Number.POSITIVE_INFINITY);
  return { counts: merge.counts, estimated: merge.estimated };
}

async function mergeHourlyRange(merge: Merge, range: PlannedRange): Promise<void> {
  const { context } = merge;
  await eachHourlyStep(context, range, ({ hour, releaseId, step, users }) => {
    closeGroups(merge, hour);
    const byRelease = context.grouping === 'release';
    const group = byRelease ? releaseId : groupOf(context, hour);
    const endMs = byRelease ? releaseEnd(merge, releaseId, markerEnd(context, releaseId)) : groupEnd(context, hour);
    for (const steps of openSteps(merge, group, endMs))
      steps[step - 1] = mergeSets(steps[step - 1] ?? emptySet(), users, mergedExactMax);
  });
}

async function mergeRawRange(merge: Merge, range: PlannedRange): Promise<void> {
  const { sql, version, rawFromMs } = merge.context;
  closeGroups(merge, range.fromMs);
  const bounds = boundsOf(merge.context, range);
  const buckets = bucketsOf(merge, bounds);
  const query = { projectId: version.projectId, rule: version, bounds, rawFromMs, actors: null };
  await eachUser(sql, query, ({ actor, bucket, depth }) => {
    const entry = buckets[bucket - 1];
    if (entry === undefined) return;
    if (entry.isWhole) countUser(merge, entry.group, depth);
    const targets = entry.isWhole ? [totalSteps(merge)] : openSteps(merge, entry.group, entry.endMs);
    for (const steps of targets)
      for (let step = 0; step < depth; step++) steps[step] = addUser(steps[step] ?? emptySet(), actor, mergedExactMax);
  });
}

/** A bucket of a raw range: its group, where that ends, and whether the group lies wholly in this bucket. */
type Bucket = { group: string; endMs: number; isWhole: boolean };

function bucketsOf(merge: Merge, bounds: readonly number[]): Bucket[] {
  const { context, lastHours } = merge;
  return bounds.slice(0, -1).map((atMs, index) => {
    const [group, endMs] = [groupOf(context, atMs), groupEnd(context, atMs)];
    // A group without entries in any other range needs no set: each of its users comes once.
    const isWhole = groupStart(context, atMs) === atMs && endMs === bounds[index + 1] && !lastHours.has(group);
    return { group, isWhole, endMs: context.grouping === 'release' ? releaseEnd(merge, group, endMs) : endMs };
  });
}

/** The sets that an entry of the group counts in: those of all entries, and the group's own. */
function openSteps(merge: Merge, group: string, endMs: number): UserSet[][] {
  const total = totalSteps(merge);
  return merge.context.grouping === 'none' ? [total] : [total, openGroup(merge, group, endMs).steps];
}

function totalSteps(merge: Merge): UserSet[] {
  return openGroup(merge, allEntries, Number.POSITIVE_INFINITY).steps;
}

function openGroup({ context, open }: Merge, group: string, endMs: number): OpenGroup {
  const existing = open.get(group);
  if (existing !== undefined) return existing;
  const opened = { steps: context.version.steps.map(emptySet), endMs };
  open.set(group, opened);
  return opened;
}

/** Counts the groups that end at or before this instant, and drops their sets. */
function closeGroups(merge: Merge, atMs: number): void {
  for (const [group, { steps, endMs }] of merge.open) {
    if (endMs > atMs) continue;
    merge.counts.set(group, steps.map(sizeOf));
    merge.estimated ||= steps.some(users => users.kind === 'sketch');
    merge.open.delete(group);
  }
}

/** Counts a user of a group that needs no set. */
function countUser({ context, counts }: Merge, group: string, depth: number): void {
  const users = counts.get(group) ?? context.version.steps.map(() => 0);
  for (let step = 0; step < depth; step++) users[step] = (users[step] ?? 0) + 1;
  counts.set(group, users);
}

/** Hours that could not be recomputed belong to a release that a later marker would end earlier. */
function releaseEnd({ lastHours }: Merge, releaseId: string, markerEndMs: number): number {
  return Math.max((lastHours.get(releaseId) ?? Number.NEGATIVE_INFINITY) + hourMs, markerEndMs);
}

/** Where the release ends by its markers. A release without a marker has entries in rolled-up hours only. */
function markerEnd({ markers, grouping }: ReportContext, releaseId: string): number {
  if (releaseId === '') return markers[0]?.atMs ?? Number.POSITIVE_INFINITY;
  const marker = markers.find(({ id }) => id === releaseId);
  return marker === undefined ? Number.NEGATIVE_INFINITY : groupEnd({ grouping, markers }, marker.atMs);
}

/** The last hour of each release, over all ranges read from the roll-up. */
async function lastHoursOf({ sql, version, ranges }: ReportContext): Promise<Map<string, number>> {
  const lastHours = new Map<string, number>();
  for (const { source, fromMs, toMs } of ranges) {
    if (source === 'raw') continue;
    for (const [releaseId, hour] of await findLastHours(sql, version, fromMs, toMs)) lastHours.set(releaseId, hour);
  }
  return lastHours;
}

const hoursPerQuery = 48;

/** In order of time; some hours per query, so that years fit into memory. */
async function eachHourlyStep(
  { sql, version, releaseId }: ReportContext,
  { fromMs, toMs }: PlannedRange,
  each: (step: HourlyStep) => void,
): Promise<void> {
  for (let startMs = fromMs; startMs < toMs; startMs += hoursPerQuery * hourMs) {
    const endMs = Math.min(toMs, startMs + hoursPerQuery * hourMs);
    const steps = await listHourlySteps(sql, version, startMs, endMs, releaseId);
    for (const step of steps.sort((left, right) => left.hour - right.hour)) each(step);
  }
}
