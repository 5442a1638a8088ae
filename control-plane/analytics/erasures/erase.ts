import type pg from 'pg';
import { toTimestamp } from '#shared/clock.ts';
import { hourMs } from '#shared/duration.ts';
import { takeTurns } from '#shared/fairness/take-turns.ts';
import { type Sql, sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { attemptApart } from '../../platform/failures/by-item.ts';
import { findProject } from '../../platform/projects/store.ts';
import { reviseNames } from '../cells/name-store.ts';
import { hasRecounts, requestRecounts } from '../cells/queue-store.ts';
import { deleteSomeOfSessions, deleteSomeOfUser, type ErasedEvent, type ErasedUser } from '../events/erase-store.ts';
import { isFullyRetained, rawFrom } from '../flows/roll-up/dirty-hours.ts';
import { markHours } from '../flows/roll-up/queue-store.ts';
import { findVersion, listVersions } from '../flows/store.ts';
import { areLinked, unlinkSome } from '../linking/link.ts';
import { storedWithinMs } from './erasure.ts';
import type { ErasureHooks } from './hooks.ts';
import { addProgress, finishErasure, listProjectsWithErasures, type Progress, takeErasure } from './store.ts';

/** Of one transaction. */
const eventsAtOnce = 5000;

/**
 * Does a bounded part of each project's erasures, projects in turns. Any number of replicas may run it; what one began
 * another goes on with. Returns whether work is left that can be done at once.
 */
export async function runErasures(pool: pg.Pool, hooks: ErasureHooks, nowMs: number): Promise<boolean> {
  const withMore = await takeTurns(
    () => listProjectsWithErasures(sqlOf(pool)),
    async projectId => {
      let hasMore = false;
      await attemptApart(pool, { work: 'event-erasures', id: projectId, projectId, nowMs }, async () => {
        hasMore = await transaction(pool, sql => advance(sql, hooks, projectId, nowMs));
      });
      return hasMore ? 1 : 0;
    },
    { concurrency: 2, turnMax: 1 },
  );
  return withMore > 0;
}

async function advance(sql: Sql, hooks: ErasureHooks, projectId: string, nowMs: number): Promise<boolean> {
  const erasure = await takeErasure(sql, projectId);
  const project = await findProject(sql, projectId);
  if (erasure === null || project === null) return false;
  const { id, actor, external_user_id: externalId, requested_at: arrivedByMs } = erasure;
  // Until then nobody knows all that is theirs.
  if (!(await areLinked(sql, projectId))) return false;
  const keptFromMs = rawFrom(project, nowMs);
  const user = { projectId, actor, externalId, arrivedByMs };
  const erased = await eraseSome(sql, user, keptFromMs);
  if (erased.events > 0) {
    await addProgress(sql, id, erased);
    return true;
  }
  if (await unlinkSome(sql, user, keptFromMs)) return true;
  if (nowMs < arrivedByMs + storedWithinMs || (await hasRecounts(sql, projectId))) return false;
  await reviseNames(sql, projectId, erasure.names, keptFromMs + hourMs);
  const events = await finishErasure(sql, id, nowMs);
  await hooks.done(sql, { projectId, id, events }, nowMs);
  return true;
}

/**
 * Deletes a user's next events and asks for the hours to be counted again that they were in, where all of these are
 * still kept. Older hours hold numbers and hashes alone.
 */
export async function eraseSome(sql: Sql, user: ErasedUser, keptFromMs: number): Promise<Progress> {
  const linked = await deleteSomeOfSessions(sql, user, eventsAtOnce);
  const rest = eventsAtOnce - linked.length;
  const deleted = rest === 0 ? linked : [...linked, ...(await deleteSomeOfUser(sql, user, rest))];
  const counted = deleted.filter(event => event.type === 'track' || event.type === 'error');
  const recounts = new Map(
    counted.map(event => {
      const [hour, arrivedOn] = [hourOf(event), toTimestamp(event.ingested_at).slice(0, 10)];
      return [`${hour} ${arrivedOn}`, { hour, arrivedOn }];
    }),
  );
  const isKept = ({ arrivedOn }: { arrivedOn: string }) => Date.parse(arrivedOn) >= keptFromMs;
  const asked = [...recounts.values()].filter(isKept);
  if (asked.length > 0) await requestRecounts(sql, user.projectId, asked);
  const lost = new Set([...recounts.values()].filter(hour => !isKept(hour)).map(({ hour }) => hour));
  const lostInFlows = await markFlows(sql, user.projectId, deleted, keptFromMs);
  const kept = new Set([...lost, ...lostInFlows]);
  return {
    events: deleted.length,
    hoursRecomputed: new Set(asked.map(({ hour }) => hour)).size,
    hoursKept: kept.size,
    names: [...new Map(counted.map(({ type, name }) => [`${type} ${name}`, [type, name] as const])).values()],
  };
}

/** Marks the hours in which the events entered a flow. Returns those that cannot be computed again. */
async function markFlows(
  sql: Sql,
  projectId: string,
  deleted: readonly ErasedEvent[],
  keptFromMs: number,
): Promise<number[]> {
  const lost: number[] = [];
  const tracked = deleted.filter(event => event.type === 'track');
  if (tracked.length === 0) return [];
  for (const key of await listVersions(sql, projectId)) {
    const version = await findVersion(sql, key.flowId, key.version);
    if (version === null) continue;
    const hours = [...new Set(tracked.filter(({ name }) => name === version.steps[0]?.event).map(hourOf))];
    await markHours(
      sql,
      version,
      hours.filter(hour => isFullyRetained(hour, keptFromMs)),
    );
    lost.push(...hours.filter(hour => !isFullyRetained(hour, keptFromMs)));
  }
  return lost;
}

function hourOf({ timestamp }: ErasedEvent): number {
  return Math.floor(timestamp / hourMs) * hourMs;
}
