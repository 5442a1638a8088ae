import type pg from 'pg';
import { sqlOf } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { actorOf } from '../events/actor.ts';
import { deleteEventsOfProject, deleteEventsOfUser, deleteTracesOfProject } from '../events/erase-store.ts';
import { findProject } from '../projects/store.ts';
import { deleteReleasesOf } from '../releases/store.ts';
import { listEntryHours } from './funnel-store.ts';
import { dayMs, isWhollyKept } from './hours.ts';
import { deleteFlowsOf, listVersions } from './store.ts';
import { markHours } from './work-store.ts';

const weekMs = 7 * dayMs;

/**
 * Deletes one user's events. Hours whose raw events are all kept are computed again without them; older hours hold a hash
 * that names nobody.
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
    for (const version of await listVersions(sql, projectId)) {
      const hours = (await listEntryHours(sql, projectId, version, rawFromMs, actor)).filter(hour =>
        isWhollyKept(hour, rawFromMs),
      );
      await markHours(sql, version, hours);
      count += hours.length;
    }
    return { events: await deleteEventsOfUser(sql, projectId, actor, externalId), hours: count };
  });
}

/** Deletes everything that events brought into a project: they themselves, flows with their hours, releases. Week by week, since it may be much. */
export async function eraseEvents(
  pool: pg.Pool,
  projectId: string,
  nowMs: number,
): Promise<{ events: number; flows: number; releases: number }> {
  const sql = sqlOf(pool);
  const flows = await deleteFlowsOf(sql, projectId);
  const releases = await deleteReleasesOf(sql, projectId);
  let events = 0;
  for (let start = nowMs - 54 * weekMs; start <= nowMs; start += weekMs)
    events += await deleteEventsOfProject(sql, projectId, start, start + weekMs);
  await deleteTracesOfProject(sql, projectId);
  return { events, flows, releases };
}
