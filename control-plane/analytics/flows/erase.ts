import type pg from 'pg';
import { dayMs } from '#shared/duration.ts';
import { sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { deleteCellsOfProject } from '../cells/cell-store.ts';
import { deleteCellWorkOfProject } from '../cells/queue-store.ts';
import { deleteEventsOfProject, deleteKeysOfProject, deletePendingOfProject } from '../events/erase-store.ts';
import { deleteLinksOfProject } from '../links/link-store.ts';
import { deleteReleasesOf } from '../releases/store.ts';
import { takeReattributions } from './roll-up/queue-store.ts';
import { deleteFlowsOf } from './store.ts';

const weekMs = 7 * dayMs;
/** A year and two weeks: far more than any plan retains. */
const weeksMax = 54;

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
  await transaction(pool, sql => deleteLinksOfProject(sql, projectId));
  return { events, flows, releases };
}
