import { toTimestamp } from '#shared/clock.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { limits } from '../../events/event.ts';
import { listMarkers, type Marker } from '../../releases/store.ts';
import type { FlowVersion } from '../flow.ts';
import { countFunnel } from '../funnel/funnel.ts';
import { floorHour, hoursIn } from '../roll-up/dirty-hours.ts';
import { findOldestPending, listDirtyHours, listReattributions, type Reattribution } from '../roll-up/queue-store.ts';
import { mergeRanges } from './merge-ranges.ts';
import { badParameter, checkGroups, readGrouping } from './query.ts';
import { type PlannedRange, planRanges } from './ranges.ts';
import { allEntries, boundsOf, type Groups, groupOf, type ReportContext } from './report-context.ts';
import type { ReportQuery, ReportView } from './schema.ts';
import { stepsOf } from './steps.ts';
import { countByValue } from './values.ts';

const defaultRangeMs = 7 * dayMs;
const rangeMaxMs = 3660 * dayMs;

/**
 * Counts a funnel: whole hours from the roll-up, the rest and what is not rolled up yet from raw events. Throws
 * `invalid_parameter` for a query that does not fit. Needs a transaction.
 */
export async function readReport(
  sql: Sql,
  version: FlowVersion,
  query: ReportQuery,
  retentionDays: number,
  nowMs: number,
): Promise<ReportView> {
  const pendingMs = await findOldestPending(sql, version);
  const markers = await listMarkers(sql, version.projectId);
  let { fromMs, toMs } = rangeOf(query, markers, nowMs);
  const rawFromMs = nowMs - retentionDays * dayMs;
  const { grouping, property } = readGrouping(query);
  if (property !== null) fromMs = Math.min(toMs, Math.max(fromMs, rawFromMs + limits.aheadMs));
  checkGroups(grouping, fromMs, toMs);
  const dirtyHours = await dirtyHoursOf(sql, version, { fromMs, toMs });
  const ranges = planRanges({
    fromMs,
    toMs,
    rawFromMs,
    dirtyHours,
    source: property === null ? (query.source ?? 'auto') : 'raw',
  });
  const context = { sql, version, markers, grouping, releaseId: query.release_id ?? null, rawFromMs, ranges };
  const only = ranges.length === 1 ? ranges[0] : undefined;
  const groups = only?.source === 'raw' ? await countRaw(context, only) : await mergeRanges(context);
  const sources = new Set(ranges.map(range => range.source));
  const throughMs = Math.min(pendingMs ?? nowMs, nowMs);
  return {
    flow_id: version.flowId,
    version: version.version,
    range: { from: toTimestamp(ranges[0]?.fromMs ?? fromMs), to: toTimestamp(ranges.at(-1)?.toMs ?? toMs) },
    group_by: query.group_by ?? 'none',
    steps: stepsOf(version, groups.counts.get(allEntries)),
    ...groupViews(context, groups),
    ...(property === null ? {} : { property, values: await countByValue(context, { fromMs, toMs }, property) }),
    complete_from: version.completeFrom === null ? null : toTimestamp(version.completeFrom),
    complete_through: toTimestamp(throughMs),
    source: sources.size > 1 ? 'mixed' : ([...sources][0] ?? 'raw'),
    roll_up: progressOf(dirtyHours, fromMs, toMs),
    estimated: groups.estimated,
  };
}

/** Hours that the roll-up has not computed yet, or will compute again. */
async function dirtyHoursOf(
  sql: Sql,
  version: FlowVersion,
  { fromMs, toMs }: Reattribution,
): Promise<number[] | 'all'> {
  if (version.filledAt === null) return 'all';
  const dirty = await listDirtyHours(sql, version, floorHour(fromMs), toMs);
  const released = await listReattributions(sql, version.projectId);
  return dirty.concat(released.flatMap(range => hoursIn(Math.max(fromMs, range.fromMs), Math.min(toMs, range.toMs))));
}

/** How far the roll-up is in a range. */
function progressOf(dirtyHours: number[] | 'all', fromMs: number, toMs: number): ReportView['roll_up'] {
  const hours = Math.max(0, Math.ceil((toMs - floorHour(fromMs)) / hourMs));
  return { hours, pending: dirtyHours === 'all' ? hours : Math.min(hours, new Set(dirtyHours).size) };
}

/** The range of the query, cut to the time in which its release was the latest. */
function rangeOf(query: ReportQuery, markers: readonly Marker[], nowMs: number): { fromMs: number; toMs: number } {
  const toMs = query.to ?? Math.max(nowMs, query.from ?? 0);
  const fromMs = query.from ?? toMs - defaultRangeMs;
  if (fromMs > toMs) throw badParameter('from', 'out_of_range', 'must not be after to');
  if (toMs - fromMs > rangeMaxMs) throw badParameter('from', 'out_of_range', 'must be at most ten years before to');
  if (query.release_id === undefined) return { fromMs, toMs };
  const index = markers.findIndex(marker => marker.id === query.release_id);
  const start = markers[index]?.atMs;
  if (start === undefined)
    throw badParameter('release_id', 'unknown_reference', 'must be a production release of this project');
  const end = markers[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
  const within = Math.min(toMs, Math.max(fromMs, start));
  return { fromMs: within, toMs: Math.max(within, Math.min(toMs, end)) };
}

/** Counts raw events only: exact. A user may be in several groups, so the total is counted separately. */
async function countRaw(context: ReportContext, range: PlannedRange): Promise<Groups> {
  const { sql, version, rawFromMs, grouping } = context;
  const counts = new Map<string, number[]>();
  const query = { projectId: version.projectId, rule: version, rawFromMs, actors: null };
  if (range.fromMs >= range.toMs) return { counts, estimated: false };
  const total = await countFunnel(sql, { ...query, bounds: [range.fromMs, range.toMs] });
  counts.set(allEntries, total.get(1) ?? []);
  if (grouping === 'none') return { counts, estimated: false };
  const bounds = boundsOf(context, range);
  const buckets = await countFunnel(sql, { ...query, bounds });
  for (const [bucket, steps] of buckets) counts.set(groupOf(context, bounds[bucket - 1] ?? 0), steps);
  return { counts, estimated: false };
}

function groupViews(
  { version, markers, grouping }: ReportContext,
  { counts }: Groups,
): Pick<ReportView, 'buckets' | 'releases'> {
  if (grouping === 'none') return {};
  const groups = [...counts].filter(([group]) => group !== allEntries);
  if (grouping !== 'release')
    return { buckets: groups.sort(byKey).map(([bucket, users]) => ({ bucket, steps: stepsOf(version, users) })) };
  const order = ['', ...markers.map(marker => marker.id)];
  return {
    releases: groups
      .sort(([left], [right]) => order.indexOf(left) - order.indexOf(right))
      .map(([id, users]) => {
        const marker = markers.find(marker => marker.id === id);
        return {
          release_id: id === '' ? null : id,
          version: marker?.version ?? null,
          name: marker?.name ?? null,
          released_at: marker === undefined ? null : toTimestamp(marker.atMs),
          steps: stepsOf(version, users),
        };
      }),
  };
}

function byKey([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}
