import { toTimestamp } from '#shared/clock.ts';
import type { Sql } from '../db/sql.ts';
import { type FieldCode, Problem } from '../http/problem.ts';
import { listMarkers, type Marker } from '../releases/store.ts';
import { addUser, type Cell, emptyCell, sizeOf, unite, unitedExactMax } from './cell.ts';
import { listCells } from './cell-store.ts';
import type { FlowVersion } from './flow.ts';
import { countFunnel, eachUser } from './funnel.ts';
import { boundsWithin, dayMs, floorHour, hourMs, hoursIn, releaseAt } from './hours.ts';
import { type Part, planParts } from './parts.ts';
import type { Grouping, ReportQuery, ReportView, StepView } from './report-schema.ts';
import { findOldestPending, listMarkedHours } from './work-store.ts';

/** What a report is about, as far as it is settled. */
type Scene = {
  sql: Sql;
  version: FlowVersion;
  markers: readonly Marker[];
  grouping: Grouping;
  releaseId: string | null;
  rawFromMs: number;
  parts: readonly Part[];
};

/** Users at each step, by group; a group is an instant, a release or everything. */
type Groups = { counts: Map<string, number[]>; estimated: boolean };

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

/** The key of the group that every entry is in; '' is the release of entries before the first marker. */
const everything = 'everything';

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

function groupOf({ grouping, markers }: Scene, atMs: number): string {
  switch (grouping) {
    case 'none':
      return everything;
    case 'day':
      return toTimestamp(Math.floor(atMs / dayMs) * dayMs);
    case 'hour':
      return toTimestamp(floorHour(atMs));
    case 'release':
      return releaseAt(markers, atMs);
    default:
      return grouping satisfies never;
  }
}

/** Where one group ends and the next begins. */
function boundsOf({ grouping, markers }: Scene, { fromMs, toMs }: Part): number[] {
  const hours = grouping === 'hour' || grouping === 'day' ? hoursIn(fromMs, toMs) : [];
  const days = grouping === 'day' ? hours.filter(hour => hour % dayMs === 0) : hours;
  return boundsWithin(fromMs, toMs, grouping === 'release' ? markers.map(marker => marker.atMs) : days);
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

async function uniteParts(scene: Scene): Promise<Groups> {
  const { version, grouping } = scene;
  const sets = new Map<string, Cell[]>();
  const cellOf = (group: string, step: number): Cell => sets.get(group)?.[step - 1] ?? emptyCell();
  const keep = (group: string, step: number, cell: Cell): void => {
    const cells = sets.get(group) ?? version.steps.map(() => emptyCell());
    cells[step - 1] = cell;
    sets.set(group, cells);
  };
  const groupsAt = (group: string) => (grouping === 'none' ? [everything] : [group, everything]);
  for (const part of scene.parts) {
    if (part.from === 'hourly') {
      await eachCell(scene, part, (atMs, releaseId, step, cell) => {
        for (const group of groupsAt(grouping === 'release' ? releaseId : groupOf(scene, atMs)))
          keep(group, step, unite(cellOf(group, step), cell, unitedExactMax));
      });
    } else {
      const bounds = boundsOf(scene, part);
      const query = { projectId: version.projectId, rule: version, bounds, rawFromMs: scene.rawFromMs, actors: null };
      await eachUser(scene.sql, query, ({ actor, bucket, depth }) => {
        for (const group of groupsAt(groupOf(scene, bounds[bucket - 1] ?? 0)))
          for (let step = 1; step <= depth; step++)
            keep(group, step, addUser(cellOf(group, step), actor, unitedExactMax));
      });
    }
  }
  const counts = new Map([...sets].map(([group, cells]) => [group, cells.map(sizeOf)]));
  return { counts, estimated: [...sets.values()].some(cells => cells.some(cell => cell.kind === 'sketch')) };
}

const cellHours = 48;

/** Cells of some hours at a time, so that years fit into memory. */
async function eachCell(
  { sql, version, releaseId }: Scene,
  { fromMs, toMs }: Part,
  each: (atMs: number, releaseId: string, step: number, cell: Cell) => void,
): Promise<void> {
  for (let start = fromMs; start < toMs; start += cellHours * hourMs) {
    const end = Math.min(toMs, start + cellHours * hourMs);
    for (const { hour, releaseId: release, step, cell } of await listCells(sql, version, start, end, releaseId))
      each(hour, release, step, cell);
  }
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
