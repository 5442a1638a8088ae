import type pg from 'pg';
import type { Sql } from '../db/sql.ts';
import { sqlOf } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { findProject } from '../projects/store.ts';
import { listMarkers, type Marker } from '../releases/store.ts';
import { addUser, type Cell, emptyCell, storedExactMax, unite } from './cell.ts';
import { type CellKey, deleteCells, deleteEmptyCells, listCells, type StoredCell, writeCells } from './cell-store.ts';
import type { FlowVersion } from './flow.ts';
import { eachUser } from './funnel.ts';
import { listActors, listEntryHours } from './funnel-store.ts';
import {
  boundsWithin,
  ceilHour,
  dayMs,
  floorHour,
  hourMs,
  hoursIn,
  isWhollyKept,
  releaseAt,
  runsOf,
  spansOf,
} from './hours.ts';
import { listVersions } from './store.ts';
import {
  listProjectsWithWork,
  lockProject,
  markHours,
  setFilled,
  takeHours,
  takePendingMinutes,
} from './work-store.ts';

/** What the roll-up of one project needs to know. */
type Context = {
  sql: Sql;
  projectId: string;
  markers: readonly Marker[];
  rawFromMs: number;
  madeMs: number;
  nowMs: number;
};

const pendingMax = 20_000;
/** Hours of arrivals that one round follows, over all versions: others wait meanwhile. */
const pendingHoursMax = 500;
const leastPendingHours = 2;
const actorsMax = 2000;
const hoursMax = 24;

/**
 * Brings `events_hourly` up to what arrived, project by project. Any number of replicas may run it. Returns whether work is
 * left. A project that fails keeps its work for the next time and holds up no other.
 */
export async function rollUp(pool: pg.Pool, nowMs: number): Promise<boolean> {
  let left = false;
  const failures: unknown[] = [];
  for (const projectId of await listProjectsWithWork(sqlOf(pool))) {
    const more = await transaction(pool, sql => rollUpProject(sql, projectId, nowMs)).catch(error => {
      failures.push(error);
      return false;
    });
    left ||= more;
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} projects could not be rolled up`);
  return left;
}

/** In one transaction: what was taken from the lists comes back to them when it fails. */
async function rollUpProject(sql: Sql, projectId: string, nowMs: number): Promise<boolean> {
  const project = await findProject(sql, projectId);
  if (project === null || !(await lockProject(sql, projectId))) return false;
  const versions = await listVersions(sql, projectId);
  const hours = Math.max(leastPendingHours, Math.floor(pendingHoursMax / Math.max(1, versions.length)));
  const { minutes, ...pending } = await takePendingMinutes(sql, projectId, { rows: pendingMax, hours });
  if (versions.length === 0) return pending.left;
  const rawFromMs = nowMs - project.event_retention_days * dayMs;
  const markers = await listMarkers(sql, projectId);
  const context = { sql, projectId, markers, rawFromMs, madeMs: Date.parse(project.created_at), nowMs };
  let left = pending.left;
  for (const version of versions) {
    if (version.filledAt === null) await fill(context, version);
    else if (minutes.length > 0) await workIn(context, version, minutes);
    left = (await recompute(context, version)) || left;
  }
  return left;
}

/** Lists every hour of raw events that a new version has to be computed for. Earlier ones are lost to it. */
async function fill({ sql, projectId, rawFromMs, madeMs, nowMs }: Context, version: FlowVersion): Promise<void> {
  const hours = await listEntryHours(sql, projectId, version, rawFromMs, null);
  await markHours(sql, version, hours);
  await setFilled(sql, version, nowMs, madeMs >= rawFromMs ? null : ceilHour(rawFromMs + hourMs));
}

/** Follows again only the users whom arrivals can have moved. */
async function workIn(context: Context, version: FlowVersion, minutes: readonly number[]): Promise<void> {
  const { sql, projectId } = context;
  for (const { fromMs, toMs, runs } of spansOf(minutes, version.windowSeconds * 1000)) {
    const actors = new Set<number>();
    for (const [start, end] of runs)
      for (const actor of await listActors(sql, projectId, version, start, end)) actors.add(actor);
    const list = [...actors];
    for (let start = 0; start < list.length; start += actorsMax)
      await followActors(context, version, list.slice(start, start + actorsMax), fromMs, toMs);
  }
}

async function followActors(
  context: Context,
  version: FlowVersion,
  actors: readonly number[],
  fromMs: number,
  toMs: number,
): Promise<void> {
  const { sql, rawFromMs } = context;
  const found = await computeCells(context, version, fromMs, toMs, actors);
  const touched = [...new Set([...found.values()].map(one => one.hour))];
  const strict = version.order === 'strict';
  const known = new Map<string, StoredCell>();
  for (const [start, end] of runsOf(touched.sort((left, right) => left - right)))
    for (const cell of await listCells(sql, version, start, end, null)) known.set(keyOf(cell), cell);
  const changed: StoredCell[] = [];
  const again = new Set<number>();
  const keys = new Map([...found.values(), ...(strict ? known.values() : [])].map(one => [keyOf(one), one]));
  for (const [key, { hour, releaseId, step }] of keys) {
    const [before, fresh] = [known.get(key)?.cell ?? emptyCell(), found.get(key)?.cell ?? emptyCell()];
    const merged = merge(before, fresh, strict && isWhollyKept(hour, rawFromMs) ? actors : []);
    if (merged === 'cannot') again.add(hour);
    else if (merged !== null) changed.push({ hour, releaseId, step, cell: merged });
  }
  await writeCells(sql, version, changed);
  const emptied = changed.filter(({ cell }) => cell.kind === 'exact' && cell.users.size === 0);
  if (emptied.length > 0)
    await deleteEmptyCells(
      sql,
      version,
      emptied.map(one => one.hour),
    );
  await markHours(sql, version, [...again]);
}

/**
 * The cell after these users were followed again, or null when it is as it was. Events that come late only ever take an
 * ordered user further; in a strict flow they may hold one back, who is then taken out, which a sketch cannot do.
 */
function merge(before: Cell, fresh: Cell, followed: readonly number[]): Cell | null | 'cannot' {
  if (before.kind === 'exact') {
    const users = new Set(before.users);
    for (const actor of followed) users.delete(actor);
    const merged = unite({ kind: 'exact', users }, fresh, storedExactMax);
    return merged.kind === 'exact' && isSame(before.users, merged.users) ? null : merged;
  }
  if (followed.length > 0) return 'cannot';
  const sketch = new Uint8Array(before.sketch);
  const merged = unite({ kind: 'sketch', sketch }, fresh, storedExactMax);
  return Buffer.compare(sketch, before.sketch) === 0 ? null : merged;
}

function isSame(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  return left.size === right.size && left.isSubsetOf(right);
}

/** Computes marked hours again, some at a time. Returns whether any may be left. */
async function recompute(context: Context, version: FlowVersion): Promise<boolean> {
  const { sql, rawFromMs } = context;
  const hours = await takeHours(sql, version, hoursMax);
  for (const [fromMs, toMs] of runsOf(hours)) {
    const cells = await computeCells(context, version, fromMs, toMs, null);
    const whole = hoursIn(fromMs, toMs).filter(hour => isWhollyKept(hour, rawFromMs));
    await deleteCells(sql, version, whole);
    for (const known of await listCells(sql, version, fromMs, toMs, null)) {
      const found = cells.get(keyOf(known));
      if (found !== undefined) found.cell = unite(found.cell, known.cell, storedExactMax);
    }
    await writeCells(sql, version, [...cells.values()]);
  }
  return hours.length === hoursMax;
}

/** Cells of the entries in [fromMs, toMs) from raw events, of all users or of some. */
async function computeCells(
  { sql, projectId, markers, rawFromMs }: Context,
  version: FlowVersion,
  fromMs: number,
  toMs: number,
  actors: readonly number[] | null,
): Promise<Map<string, StoredCell>> {
  const bounds = boundsWithin(fromMs, toMs, [...hoursIn(fromMs, toMs), ...markers.map(marker => marker.atMs)]);
  const places = bounds.map(atMs => ({ hour: floorHour(atMs), releaseId: releaseAt(markers, atMs) }));
  const cells = new Map<string, StoredCell>();
  await eachUser(sql, { projectId, rule: version, bounds, rawFromMs, actors }, ({ actor, bucket, depth }) => {
    const place = places[bucket - 1];
    if (place === undefined) return;
    for (let step = 1; step <= depth; step++) {
      const key = keyOf({ ...place, step });
      const known = cells.get(key) ?? { ...place, step, cell: emptyCell() };
      known.cell = addUser(known.cell, actor, storedExactMax);
      cells.set(key, known);
    }
  });
  return cells;
}

function keyOf({ hour, releaseId, step }: CellKey): string {
  return `${hour} ${releaseId} ${step}`;
}
