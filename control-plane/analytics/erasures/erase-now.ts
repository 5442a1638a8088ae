import type pg from 'pg';
import type { HashSecret } from '../../platform/audit/sealed.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { findProject } from '../../platform/projects/store.ts';
import { actorOf } from '../events/actor.ts';
import { rawFrom } from '../flows/roll-up/dirty-hours.ts';
import { eraseSome } from './erase.ts';
import { requestErasure } from './request.ts';
import { addProgress, lockErasure } from './store.ts';

/**
 * Deletes one user's events at once; a worker ends the erasure when all is counted again. Returns the number of events
 * that this erasure has deleted and of hours to count again; throws if there is no such project.
 */
export async function eraseUser(
  pool: pg.Pool,
  hash: HashSecret,
  { projectId, externalId }: { projectId: string; externalId: string },
  nowMs: number,
): Promise<{ events: number; hours: number }> {
  const { project, erasure } = await transaction(pool, async sql => {
    const found = await findProject(sql, projectId);
    if (found === null) throw new Error('There is no such project.');
    const requested = await requestErasure(sql, hash, { projectId, externalId }, nowMs);
    return { project: found, erasure: requested.erasure };
  });
  const user = { projectId, externalId, actor: actorOf(externalId, null) ?? 0, arrivedByMs: nowMs };
  for (;;) {
    const { left, done } = await transaction(pool, async sql => {
      // A worker may have begun it already: what either deletes counts.
      const before = await lockErasure(sql, erasure.id);
      const progress = await eraseSome(sql, user, rawFrom(project, nowMs));
      if (progress.events > 0) await addProgress(sql, erasure.id, progress);
      return { left: progress.events > 0, done: before };
    });
    if (!left) return { events: done?.events ?? 0, hours: done?.hours_recomputed ?? 0 };
  }
}
