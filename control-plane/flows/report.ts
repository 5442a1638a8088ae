import { toTimestamp } from '#shared/clock.ts';
import type { Sql } from '../db/sql.ts';
import { type FieldCode, Problem } from '../http/problem.ts';
import { listMarkers, type Marker } from '../releases/store.ts';
import type { FlowVersion } from './flow.ts';
import { countFunnel } from './funnel.ts';
import { dayMs, floorHour, hourMs } from './hours.ts';
import { type Part, planParts } from './parts.ts';
import type { Grouping, ReportQuery, ReportView, StepView } from './report-schema.ts';
import { boundsOf, everything, type Groups, groupOf, type Scene } from './scene.ts';
import { uniteParts } from './unite-parts.ts';
import { findOldestPending, listMarkedHours } from './work-store.ts';

const groupsMax = { none: 1, day: 400, hour: 800, release: 100_000 };
const defaultRangeMs = 7 * dayMs;
const rangeMaxMs = 3660 * dayMs;

/** Reads a funnel: whole hours from the roll-up, the rest, and what is still to be rolled up, from raw events. */
export async function readReport(
  sql: Sql,
  version: FlowVersion,
  query: ReportQuery,
  retentionDays: number,
  nowMs: number,
): Promise<ReportView> {
  const pendingMs = await findOldestPending(sql, version.projectId);
  const markers = await listMarkers(sql, version.projectId);
  const { fromMs, toMs } = rangeOf(query, markers, nowMs);
  const grouping = query.group_by ?? 'none';
  checkGroups(grouping, fromMs, toMs);
  const rawFromMs = nowMs - retentionDays * dayMs;
  const marked = version.filledAt === null ? 'all' : await listMarkedHours(sql, version, floorHour(fromMs), toMs);
  const parts = planParts({ fromMs, toMs, rawFromMs, marked, source: query.source ?? 'auto' });
  const scene = { sql, version, markers, grouping, releaseId: query.release_id ?? null, rawFromMs, parts };
  const only = parts.length === 1 ? parts[0] : undefined;
  const groups = only?.from === 'raw' ? await countRaw(scene, only) : await uniteParts(scene);
  const kinds = new Set(parts.map(part => part.from));
  const throughMs = Math.min(pendingMs ?? nowMs, nowMs);
  return {
    flow_id: version.flowId,
    version: version.version,
    range: { from: toTimestamp(parts[0]?.fromMs ?? fromMs), to: toTimestamp(parts.at(-1)?.toMs ?? toMs) },
    group_by: grouping,
    steps: stepsOf(version, groups.counts.get(everything)),
    ...groupViews(scene, groups),
    complete_from: version.completeFrom === null ? null : toTimestamp(version.completeFrom),
    complete_through: toTimestamp(throughMs),
    source: kinds.size > 1 ? 'mixed' : (only?.from ?? [...kinds][0] ?? 'raw'),
    estimated: groups.estimated,
  };
}

/** The range asked for; with a release, the part of it in which that release was the latest. */
function rangeOf(query: ReportQuery, markers: readonly Marker[], nowMs: number): { fromMs: number; toMs: number } {
  const toMs = query.to ?? Math.max(nowMs, query.from ?? 0);
  const fromMs = query.from ?? toMs - defaultRangeMs;
  if (fromMs > toMs) throw badParameter('from', 'out_of_range', 'must not be after to');
  if (toMs - fromMs > rangeMaxMs) throw badParameter('from', 'out_of_range', 'may be at most ten years before to');
  if (query.release_id === undefined) return { fromMs, toMs };
  const place = markers.findIndex(marker => marker.id === query.release_id);
  const start = markers[place]?.atMs;
  if (start === undefined)
    throw badParameter('release_id', 'unknown_reference', 'is no release that entries belong to');
  const end = markers[place + 1]?.atMs ?? Number.POSITIVE_INFINITY;
  const within = Math.min(toMs, Math.max(fromMs, start));
  return { fromMs: within, toMs: Math.max(within, Math.min(toMs, end)) };
}

function badParameter(parameter: string, code: FieldCode, detail: string): Problem {
  return new Problem('invalid_parameter', { detail: `${parameter} ${detail}`, errors: [{ parameter, code, detail }] });
}

function checkGroups(grouping: Grouping, fromMs: number, toMs: number): void {
  const count = grouping === 'day' ? (toMs - fromMs) / dayMs : grouping === 'hour' ? (toMs - fromMs) / hourMs : 0;
  if (count > groupsMax[grouping])
    throw badParameter('group_by', 'out_of_range', `gives at most ${groupsMax[grouping]} groups`);
}

/** All from raw events: exact, and counted where they are. A user may be in several groups, so all of them are counted apart. */
async function countRaw(scene: Scene, part: Part): Promise<Groups> {
  const { sql, version, rawFromMs, grouping } = scene;
  const counts = new Map<string, number[]>();
  const query = { projectId: version.projectId, rule: version, rawFromMs, actors: null };
  if (part.fromMs >= part.toMs) return { counts, estimated: false };
  const whole = await countFunnel(sql, { ...query, bounds: [part.fromMs, part.toMs] });
  counts.set(everything, whole.get(1) ?? []);
  if (grouping === 'none') return { counts, estimated: false };
  const bounds = boundsOf(scene, part);
  const found = await countFunnel(sql, { ...query, bounds });
  for (const [bucket, steps] of found) counts.set(groupOf(scene, bounds[bucket - 1] ?? 0), steps);
  return { counts, estimated: false };
}

/** Ratios with nothing below are null. An estimate never shows more users at a step than at the one before. */
function stepsOf(version: FlowVersion, counts: readonly number[] = []): StepView[] {
  let before: number | null = null;
  let first = 0;
  return version.steps.map((step, place) => {
    const users: number = Math.min(counts[place] ?? 0, before ?? Number.POSITIVE_INFINITY);
    if (place === 0) first = users;
    const view = {
      step: place + 1,
      name: step.name ?? step.event,
      users,
      from_first: first === 0 ? null : users / first,
      from_previous: place === 0 || before === 0 ? null : users / (before ?? 1),
    };
    before = users;
    return view;
  });
}

function groupViews(
  { version, markers, grouping }: Scene,
  { counts }: Groups,
): Pick<ReportView, 'buckets' | 'releases'> {
  if (grouping === 'none') return {};
  const groups = [...counts].filter(([group]) => group !== everything);
  if (grouping !== 'release')
    return { buckets: groups.sort(byKey).map(([bucket, users]) => ({ bucket, steps: stepsOf(version, users) })) };
  const order = ['', ...markers.map(marker => marker.id)];
  return {
    releases: groups
      .sort(([left], [right]) => order.indexOf(left) - order.indexOf(right))
      .map(([id, users]) => {
        const marker = markers.find(one => one.id === id);
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
