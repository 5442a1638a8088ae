import type pg from 'pg';
import { secondMs } from '#shared/duration.ts';
import type { Rests } from '#shared/fairness/rests.ts';
import { takeTurns } from '#shared/fairness/take-turns.ts';
import { classifyFault, isTimeout } from '../../../platform/db/errors.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { sqlOf } from '../../../platform/db/sql.ts';
import { transaction, withSavepoint } from '../../../platform/db/transaction.ts';
import { noteFailureOf } from '../../../platform/failures/by-item.ts';
import { mayBeOfOneItem } from '../../../platform/failures/failure.ts';
import { findProject } from '../../../platform/projects/store.ts';
import { listMarkers } from '../../releases/store.ts';
import { listEntryHours } from '../funnel/entry-store.ts';
import { findVersion, listVersions, type VersionWork } from '../store.ts';
import { rawFrom } from './dirty-hours.ts';
import { addFailure, clearFailures, limitStatements } from './failure-store.ts';
import { hasPostponedMoreThan, postponeMinutes, takePostponedMinutes } from './postponed-store.ts';
import {
  findOldestPendingOfAll,
  listProjectsWithWork,
  lockProject,
  markHours,
  type PendingMinutes,
  takePendingMinutes,
  takeReattributions,
} from './queue-store.ts';
import { reattribute } from './reattribute.ts';
import { type RollUpContext, rollUpVersion } from './roll-up-version.ts';
import { backOffMs } from './slow-version.ts';

type RollUpOptions = {
  nowMs: number;
  /** After this time a project's other versions wait for its next turn. */
  projectTimeMs?: number;
  /** A version with a statement that takes longer fails, and backs off. */
  statementMs?: number;
  /** Only projects with a version that failed, which may take a minute each, or only the others; null: all. */
  isSlow?: boolean | null;
  /** Which projects rest; none if not given. */
  rests?: Rests<string> | undefined;
};

const pendingRowsMax = 20_000;
/** Hours of arrivals per round, over all versions; the rest waits for the next round. */
const pendingHoursMax = 500;
const pendingHoursMin = 2;
const projectsAtOnce = 2;
/** For a version that backs off. If more minutes come, it counts all hours again instead. */
const postponedMax = 20_000;

/**
 * Brings `events_hourly` up to date with what arrived: a bounded part of each project's work, projects in turns and two
 * at a time, so that one of them never holds up all. Any number of replicas may run it. Returns whether work is left. A
 * project or version that fails keeps its work for a later call and delays no other; the failures are thrown together.
 */
export async function rollUp(pool: pg.Pool, options: RollUpOptions): Promise<boolean> {
  const failures: unknown[] = [];
  const withMore = await takeTurns(
    async () => {
      const projects = await listProjectsWithWork(sqlOf(pool), options.isSlow ?? null);
      return options.rests?.awake(projects) ?? projects;
    },
    async projectId => {
      const work = () => takeTurn(pool, projectId, options, failures);
      return (await (options.rests?.after(projectId, work) ?? work())) ? 1 : 0;
    },
    { concurrency: projectsAtOnce, turnMax: 1 },
  );
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} flows could not be rolled up`);
  return withMore > 0;
}

/** Whether the project has more to do. Notes what fails of it, and adds it to `failures`. */
async function takeTurn(
  pool: pg.Pool,
  projectId: string,
  options: RollUpOptions,
  failures: unknown[],
): Promise<boolean> {
  // A transaction that is repeated must not report what its first attempt met.
  let own: unknown[] = [];
  const hasMore = await transaction(pool, sql => {
    own = [];
    return rollUpProject(sql, projectId, options, own);
  }).catch(error => {
    own = [error];
    return false;
  });
  for (const error of own) {
    failures.push(error);
    const id = error instanceof FailedVersion ? error.flowId : projectId;
    if (mayBeOfOneItem(error))
      await noteFailureOf(pool, { work: 'roll-up', id, projectId, nowMs: options.nowMs }, error);
  }
  return hasMore;
}

class FailedVersion extends Error {
  readonly flowId: string;

  constructor(message: string, flowId: string, cause: unknown) {
    super(message, { cause });
    this.flowId = flowId;
  }
}

/** How long the oldest event waits that is not rolled up yet; 0 if none does. */
export async function rollUpLagSeconds(sql: Sql, nowMs: number): Promise<number> {
  const oldestMs = await findOldestPendingOfAll(sql);
  return oldestMs === null ? 0 : Math.max(0, nowMs - oldestMs) / secondMs;
}

/**
 * In one transaction, so that work taken from the queues returns to them if it fails. When the project's time is over,
 * what is left is postponed version by version, and nothing new is taken before that is done. A version that fails
 * loses only its own part: it backs off, and the minutes that arrive are postponed for it meanwhile.
 */
async function rollUpProject(
  sql: Sql,
  projectId: string,
  { nowMs, projectTimeMs = 5000, statementMs = 30_000 }: RollUpOptions,
  failures: unknown[],
): Promise<boolean> {
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
  await limitStatements(sql, statementMs);
  let hasMore = pending.hasMore;
  for (const [index, work] of turnsOf(versions, nowMs).entries()) {
    if (work.isFilled) await reattribute(sql, work, reattributions, rawFromMs);
    const isDirty = work.isDirty || reattributions.length > 0;
    if (work.isFilled && !work.isBehind && !isDirty && pending.minutes.length === 0) continue;
    const backsOff = work.retryAtMs !== null && work.retryAtMs > nowMs;
    const waits = backsOff || (index > 0 && performance.now() > endMs);
    if (waits) {
      hasMore ||= !backsOff;
      if (work.isFilled) await postpone(context, work, pending);
    } else hasMore = (await tryVersion(context, work, pending, failures)) || hasMore;
  }
  return hasMore;
}

/** Does a part of a version's work, or counts its failure. Returns whether any may be left to do at once. */
async function tryVersion(
  context: RollUpContext,
  work: VersionWork,
  pending: PendingMinutes,
  failures: unknown[],
): Promise<boolean> {
  const { sql, nowMs } = context;
  // Of what is postponed the oldest comes first.
  if (work.isBehind) await postponeMinutes(sql, work, pending);
  try {
    const hasMore = await withSavepoint(sql, () => rollUpVersion(context, work, pending.minutes));
    if (work.failures > 0 && !hasMore) await clearFailures(sql, work);
    return hasMore;
  } catch (error) {
    const fault = classifyFault(error);
    if (!isTimeout(error) && (fault === 'retry' || fault === 'away')) throw error;
    const retryAtMs = nowMs + backOffMs(work.failures + 1);
    const until = new Date(retryAtMs).toISOString();
    const message = `version ${work.version} of ${work.flowId} could not be rolled up and is tried again at ${until}`;
    failures.push(new FailedVersion(message, work.flowId, error));
    await addFailure(sql, work, retryAtMs);
    if (work.isFilled) await postpone(context, work, pending);
    return false;
  }
}

/** Leaves minutes to a later round of this version; instead of very many, all hours of which events are retained. */
async function postpone(context: RollUpContext, work: VersionWork, pending: PendingMinutes): Promise<void> {
  const { sql } = context;
  await postponeMinutes(sql, work, pending);
  if (work.failures === 0 || !(await hasPostponedMoreThan(sql, work, postponedMax))) return;
  await withSavepoint(sql, () => countAgain(context, work)).catch(error => {
    // Very many events: the minutes stay.
    if (!isTimeout(error)) throw error;
  });
}

async function countAgain({ sql, projectId, rawFromMs }: RollUpContext, work: VersionWork): Promise<void> {
  const version = await findVersion(sql, work.flowId, work.version);
  if (version === null) return;
  await markHours(sql, work, await listEntryHours(sql, projectId, version, rawFromMs, null));
  await takePostponedMinutes(sql, work, null);
}

/**
 * Nothing as long as a version is behind, so that what is postponed stays bounded. One that was too slow is not waited
 * for: it would hold up the others.
 */
function takeArrivals(sql: Sql, projectId: string, versions: readonly VersionWork[]): Promise<PendingMinutes> {
  if (versions.some(({ isBehind, failures }) => isBehind && failures === 0))
    return Promise.resolve({ minutes: [], arrivedMs: null, hasMore: true });
  const hours = Math.max(pendingHoursMin, Math.floor(pendingHoursMax / Math.max(1, versions.length)));
  return takePendingMinutes(sql, projectId, { rows: pendingRowsMax, hours });
}

/**
 * Those that are behind come first, in another order each second, so that none waits for ever; those that were too slow
 * come last.
 */
function turnsOf(versions: readonly VersionWork[], nowMs: number): VersionWork[] {
  const first = Math.floor(nowMs / secondMs) % versions.length;
  const turned = [...versions.slice(first), ...versions.slice(0, first)];
  const rank = ({ failures, isBehind }: VersionWork) => (failures > 0 ? 2 : isBehind ? 0 : 1);
  return turned.sort((left, right) => rank(left) - rank(right));
}
