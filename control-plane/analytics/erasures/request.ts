import { newId } from '#shared/ids.ts';
import type { HashSecret } from '../../platform/audit/sealed.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { actorOf } from '../events/actor.ts';
import { listSessionsOf } from '../links/link-store.ts';
import { type ErasureRow, erasuresMax } from './erasure.ts';
import { countOpen, findOpen, insertErasure, lockErasures } from './store.ts';

/** Of which events are left out that still lie in the broker. */
const sessionsMax = 10_000;

/** Asks for a user's events to be deleted; while that is under way, it is the same erasure. */
export async function requestErasure(
  sql: Sql,
  hash: HashSecret,
  { projectId, externalId }: { projectId: string; externalId: string },
  nowMs: number,
): Promise<{ erasure: ErasureRow; isNew: boolean }> {
  await lockErasures(sql, projectId);
  const open = await findOpen(sql, projectId, externalId);
  if (open !== null) return { erasure: open, isNew: false };
  const used = await countOpen(sql, projectId);
  if (used >= erasuresMax)
    throw new Problem('limit_reached', {
      detail: `${used} erasures of the project are under way`,
      extra: { resource: 'erasures', maximum: erasuresMax, limit: erasuresMax, used },
    });
  const user = { projectId, externalId, actor: actorOf(externalId, null) ?? 0 };
  const sessions = await listSessionsOf(sql, user, sessionsMax);
  const erasure = await insertErasure(
    sql,
    {
      ...user,
      id: newId('ers', nowMs),
      userHash: await hash(projectId, externalId),
      sessions: sessions.map(({ actor }) => actor),
    },
    nowMs,
  );
  return { erasure, isNew: true };
}
