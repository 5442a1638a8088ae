import type pg from 'pg';
import { dayMs } from '#shared/duration.ts';
import { sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { findProject } from '../../platform/projects/store.ts';
import { deleteCellsOfProject } from '../cells/cell-store.ts';
import { deleteCellWorkOfProject, requestRecountsOfUser } from '../cells/queue-store.ts';
import { actorOf } from '../events/actor.ts';
import {
  deleteEventsOfProject,
  deleteEventsOfUser,
  deleteKeysOfProject,
  deletePendingOfProject,
} from '../events/erase-store.ts';
import { deleteReleasesOf } from '../releases/store.ts';
import { listEntryHours } from './funnel/entry-store.ts';
import { isFullyRetained } from './roll-up/dirty-hours.ts';
import { markHours, takeReattributions } from './roll-up/queue-store.ts';
import { deleteFlowsOf, findVersion, listVersions } from './store.ts';

const weekMs = 7 * dayMs;
/** A year and two weeks: far more than any plan retains. */
const weeksMax = 54;

/**
 * Deletes one user's events. Hours whose raw events are all retained are recomputed without the user; older hours hold
 * only a hash. Returns the number of events deleted and of hours to recompute; throws if there is no such project.
 */
export async function eraseUser(
  pool: pg.Pool,
  projectId: string,
  externalId: string,
  nowMs: number,
): Promise<{ events: number; hours: number }> {
  const actor = actorOf(externalId, null) ?? 0;
  return transaction(pool, async sql => {
    const project = await findProject(sql, projectId);
    if (project === null) throw new Error('There is no such project.');
    const rawFromMs = nowMs - project.event_retention_days * dayMs;
    let count = 0;
    for (const key of await listVersions(sql, projectId)) {
      const version = await findVersion(sql, key.flowId, key.version);
      if (version === null) continue;
      const entryHours = await listEntryHours(sql, projectId, version, rawFromMs, actor);
      const hours = entryHours.filter(hour => isFullyRetained(hour, rawFromMs));
      await markHours(sql, version, hours);
      count += hours.length;
    }
    await requestRecountsOfUser(sql, projectId, actor, externalId);
    return { events: await deleteEventsOfUser(sql, projectId, actor, externalId), hours: count };
  });
}

/** Deletes a project's events, flows with their hours, and releases. Week by week, so that no statement takes long. */
export async function eraseEvents(
  pool: pg.Pool,
  projectId: string,
  nowMs: number,
): Promise<{ events: number; flows: number; releases: number }> {
  const sql = sqlOf(pool);
  const flows = await deleteFlowsOf(sql, projectId);
  const releases = await deleteReleasesOf(sql, projectId);
  await takeReattributions(sql, projectId);
  let events = 0;
  for (let start = nowMs - weeksMax * weekMs; start <= nowMs; start += weekMs)
    events += await deleteEventsOfProject(sql, projectId, start, start + weekMs);
  await deleteKeysOfProject(sql, projectId);
  await deletePendingOfProject(sql, projectId);
  await deleteCellWorkOfProject(sql, projectId);
  await deleteCellsOfProject(sql, projectId);
  return { events, flows, releases };
}
