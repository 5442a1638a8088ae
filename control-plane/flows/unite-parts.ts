import { addUser, type Cell, emptyCell, sizeOf, unite, unitedExactMax } from './cell.ts';
import { findLastHours, listCells, type StoredCell } from './cell-store.ts';
import { eachUser } from './funnel.ts';
import { hourMs } from './hours.ts';
import type { Part } from './parts.ts';
import { boundsOf, everything, type Groups, groupEnd, groupOf, groupStart, type Scene } from './scene.ts';

/** The sets of a group that may still grow, and the instant after which it does not. */
type Open = { cells: Cell[]; endMs: number };

/**
 * Unites the parts, which ascend in time. Only groups that may still grow are kept as sets: with hundreds of groups all of
 * them would not fit into memory.
 */
export async function uniteParts(scene: Scene): Promise<Groups> {
  const { version, grouping } = scene;
  const open = new Map<string, Open>();
  const counts = new Map<string, number[]>();
  let estimated = false;
  const openOf = (group: string, endMs: number): Open => {
    const known = open.get(group) ?? { cells: version.steps.map(emptyCell), endMs };
    open.set(group, known);
    return known;
  };
  const closeUntil = (atMs: number): void => {
    for (const [group, { cells, endMs }] of open) {
      if (endMs > atMs) continue;
      counts.set(group, cells.map(sizeOf));
      estimated ||= cells.some(cell => cell.kind === 'sketch');
      open.delete(group);
    }
  };
  const setsAt = (group: string, endMs: number): Cell[][] => {
    const total = openOf(everything, Number.POSITIVE_INFINITY).cells;
    return grouping === 'none' ? [total] : [total, openOf(group, endMs).cells];
  };
  const lasts = grouping === 'release' ? await lastHours(scene) : new Map<string, number>();
  // Hours that could not be computed again hold a release that a later marker would end earlier.
  const releaseEnd = (releaseId: string, ofMarker: number) =>
    Math.max((lasts.get(releaseId) ?? Number.NEGATIVE_INFINITY) + hourMs, ofMarker);

  const uniteHourly = (part: Part): Promise<void> =>
    eachCell(scene, part, ({ hour, releaseId, step, cell }) => {
      closeUntil(hour);
      const byRelease = grouping === 'release';
      const group = byRelease ? releaseId : groupOf(scene, hour);
      const endMs = byRelease ? releaseEnd(releaseId, markerEnd(scene, releaseId)) : groupEnd(scene, hour);
      for (const cells of setsAt(group, endMs))
        cells[step - 1] = unite(cells[step - 1] ?? emptyCell(), cell, unitedExactMax);
    });

  const uniteRaw = async (part: Part): Promise<void> => {
    closeUntil(part.fromMs);
    const bounds = boundsOf(scene, part);
    const places = bounds.slice(0, -1).map((atMs, place) => {
      const [group, endMs] = [groupOf(scene, atMs), groupEnd(scene, atMs)];
      // A group that no other part has a share of needs no set: each user comes once.
      const whole = groupStart(scene, atMs) === atMs && endMs === bounds[place + 1] && !lasts.has(group);
      return { group, whole, endMs: grouping === 'release' ? releaseEnd(group, endMs) : endMs };
    });
    const query = { projectId: version.projectId, rule: version, bounds, rawFromMs: scene.rawFromMs, actors: null };
    await eachUser(scene.sql, query, ({ actor, bucket, depth }) => {
      const place = places[bucket - 1];
      if (place === undefined) return;
      const { group, whole, endMs } = place;
      for (const cells of whole ? [openOf(everything, Number.POSITIVE_INFINITY).cells] : setsAt(group, endMs))
        for (let step = 0; step < depth; step++)
          cells[step] = addUser(cells[step] ?? emptyCell(), actor, unitedExactMax);
      if (!whole) return;
      const users = counts.get(group) ?? version.steps.map(() => 0);
      for (let step = 0; step < depth; step++) users[step] = (users[step] ?? 0) + 1;
      counts.set(group, users);
    });
  };

  for (const part of scene.parts) await (part.from === 'hourly' ? uniteHourly(part) : uniteRaw(part));
  closeUntil(Number.POSITIVE_INFINITY);
  return { counts, estimated };
}

/** Where the release's own time ends; one without a marker has no entries but in hours. */
function markerEnd(scene: Scene, releaseId: string): number {
  const marker = scene.markers.find(one => one.id === releaseId);
  if (releaseId === '') return scene.markers[0]?.atMs ?? Number.POSITIVE_INFINITY;
  return marker === undefined ? Number.NEGATIVE_INFINITY : groupEnd(scene, marker.atMs);
}

/** The last hour, of all parts, in which each release has cells. */
async function lastHours({ sql, version, parts }: Scene): Promise<Map<string, number>> {
  const lasts = new Map<string, number>();
  for (const { from, fromMs, toMs } of parts) {
    if (from === 'raw') continue;
    for (const [releaseId, hour] of await findLastHours(sql, version, fromMs, toMs)) lasts.set(releaseId, hour);
  }
  return lasts;
}

const cellHours = 48;

/** In order of time; cells of some hours at once, so that years fit into memory. */
async function eachCell(
  { sql, version, releaseId }: Scene,
  { fromMs, toMs }: Part,
  each: (cell: StoredCell) => void,
): Promise<void> {
  for (let start = fromMs; start < toMs; start += cellHours * hourMs) {
    const cells = await listCells(sql, version, start, Math.min(toMs, start + cellHours * hourMs), releaseId);
    for (const cell of cells.sort((left, right) => left.hour - right.hour)) each(cell);
  }
}
