import type pg from 'pg';
import { hourMs, secondMs } from '#shared/duration.ts';
import { takeTurns } from '#shared/fairness/take-turns.ts';
import { type Sql, sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { attemptApart } from '../../platform/failures/by-item.ts';
import { findProject } from '../../platform/projects/store.ts';
import type { ErasedUser } from '../events/erase-store.ts';
import { rawFrom } from '../flows/roll-up/dirty-hours.ts';
import { takeChanges } from '../links/change-store.ts';
import { claimLinks, endEpoch } from '../links/epoch-store.ts';
import {
  deleteSomeLinks,
  findPass,
  linkStored,
  listLinkingProjects,
  listProjectsToLink,
  lockLinks,
  type Pass,
  savePass,
} from '../links/pass-store.ts';
import { type LinkKey, lockLinksBefore, lockLinksOfUser, relink } from '../links/relink-store.ts';
import { recountAll, recountSessions } from './recount.ts';

/** Of one transaction. */
const linksAtOnce = 1000;
const arrivalsAtOnceMs = 6 * hourMs;
/** What a request received before the switch, it has stored by then. */
const switchedWithinMs = 10 * secondMs;
/** Once more when no control plane of a version before is left, which stores no links and counts without them. */
const secondPassMs = 25 * hourMs;

/**
 * Counts again what links change, and reads stored events for links when the setting was switched: a bounded part of
 * each project's work, projects in turns. Any number of replicas may run it. Returns whether work is left.
 */
export async function linkSessions(pool: pg.Pool, nowMs: number): Promise<boolean> {
  const withMore = await takeTurns(
    () => listProjectsToLink(sqlOf(pool), nowMs),
    async projectId => {
      let hasMore = false;
      await attemptApart(pool, { work: 'session-links', id: projectId, projectId, nowMs }, async () => {
        hasMore = await transaction(pool, sql => advance(sql, projectId, nowMs));
      });
      return hasMore ? 1 : 0;
    },
    { concurrency: 2, turnMax: 1 },
  );
  return withMore > 0;
}

async function advance(sql: Sql, projectId: string, nowMs: number): Promise<boolean> {
  const project = await findProject(sql, projectId);
  if (project === null || !(await lockLinks(sql, projectId))) return false;
  const keptFromMs = rawFrom(project, nowMs);
  const pass = await findPass(sql, projectId, switchedWithinMs);
  const dueAt = pass?.dueAt ?? null;
  const isDue = dueAt !== null && dueAt <= nowMs;
  if (isDue && pass?.isOn === false) await claimLinks(sql, projectId);
  const { taken, sessions } = await takeChanges(sql, projectId, linksAtOnce);
  await recountSessions(sql, { projectId, sessions }, keptFromMs);
  if (pass === null || !isDue) return taken === linksAtOnce;
  const next = await advancePass(sql, projectId, pass, keptFromMs);
  if (next !== 'read') {
    await savePass(sql, projectId, next);
    return true;
  }
  await recountAll(sql, projectId, keptFromMs, nowMs);
  const secondAt = pass.switchedAt + secondPassMs;
  const isLast = !pass.isOn || dueAt >= secondAt;
  await savePass(sql, projectId, { ...pass, unreadBefore: secondAt, dueAt: isLast ? null : secondAt });
  return true;
}

/** Reads the next arrivals, the newest first, or deletes links while the setting is off. */
async function advancePass(sql: Sql, projectId: string, pass: Pass, keptFromMs: number): Promise<Pass | 'read'> {
  if (!pass.isOn) {
    const deleted = await deleteSomeLinks(sql, projectId, linksAtOnce);
    if (deleted > 0) await endEpoch(sql, projectId);
    return deleted === linksAtOnce ? pass : 'read';
  }
  if (pass.unreadBefore <= keptFromMs) return 'read';
  const fromMs = pass.unreadBefore - arrivalsAtOnceMs;
  await linkStored(sql, projectId, Math.max(fromMs, keptFromMs), pass.unreadBefore);
  return { ...pass, unreadBefore: fromMs };
}

/** Forgets links by events past their retention: of a session that goes on, the next event that is kept counts. */
export async function endLinks(pool: pg.Pool, nowMs: number): Promise<number> {
  let ended = 0;
  for (const projectId of await listLinkingProjects(sqlOf(pool)))
    for (;;) {
      const some = await transaction(pool, sql => endSome(sql, projectId, nowMs));
      ended += some;
      if (some < linksAtOnce) break;
    }
  return ended;
}

async function endSome(sql: Sql, projectId: string, nowMs: number): Promise<number> {
  const project = await findProject(sql, projectId);
  if (project === null) return 0;
  const keptFromMs = rawFrom(project, nowMs);
  await claimLinks(sql, projectId);
  const links = await lockLinksBefore(sql, projectId, keptFromMs, linksAtOnce);
  await moveLinks(sql, projectId, links, keptFromMs);
  return links.length;
}

/** Forgets some links by events of a user that are erased. False if there is none any more. */
export async function unlinkSome(sql: Sql, user: ErasedUser, keptFromMs: number): Promise<boolean> {
  await claimLinks(sql, user.projectId);
  const links = await lockLinksOfUser(sql, user, linksAtOnce);
  await moveLinks(sql, user.projectId, links, keptFromMs);
  return links.length > 0;
}

async function moveLinks(sql: Sql, projectId: string, links: readonly LinkKey[], keptFromMs: number): Promise<void> {
  if (links.length === 0) return;
  await endEpoch(sql, projectId);
  await relink(sql, projectId, links, keptFromMs);
  const [sessions, users] = [links.map(link => link.session), links.map(link => link.user)];
  await recountSessions(sql, { projectId, sessions: [...new Set(sessions)], users: [...new Set(users)] }, keptFromMs);
}

/** Whether a project's stored events are all read for links. */
export async function areLinked(sql: Sql, projectId: string): Promise<boolean> {
  const pass = await findPass(sql, projectId, switchedWithinMs);
  return pass === null || !pass.isOn || pass.dueAt === null || pass.dueAt > pass.switchedAt + switchedWithinMs;
}
