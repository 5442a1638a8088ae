import { Problem } from '../../platform/http/problem.ts';
import { identityOf } from '../document/merge.ts';
import type { ConfigKind, ResourceRow } from '../kinds/kind.ts';
import { orderedKinds } from '../kinds/kinds.ts';
import type { Owner } from '../owners/store.ts';
import { conflictOf } from './outcome.ts';
import { changesMax, plainAction, type Run, requireTime, seen } from './run.ts';
import { isOvertaken, stale } from './stale.ts';
import { attempt } from './write-item.ts';

/** Deletes what the manager has and the documents do not, backwards: what refers to others goes first. */
export async function removeOthers(run: Run): Promise<void> {
  const documented = new Set(run.ids.values());
  for (const kind of orderedKinds.toReversed()) {
    const rows = new Map((run.rows.get(kind) ?? []).map(row => [row.id, row]));
    for (const owner of run.owners) {
      const row = rows.get(owner.resource_id);
      if (owner.managed_by !== run.wanted.merged.manager || row === undefined || documented.has(row.id)) continue;
      const parent = run.keys.get(owner.parent_id) ?? '';
      if (run.isDocumented.has(identityOf(kind.type, parent, owner.key))) continue;
      run.outcome.basis[identityOf(kind.type, parent, owner.key)] = seen(run.untouched.get(row.id) ?? row, owner);
      requireTime(run);
      if (run.changes >= changesMax) run.outcome.remaining += 1;
      else await remove(run, kind, row, parent === '' ? owner : { ...owner, key: `${parent}/${owner.key}` });
    }
  }
}

async function remove(
  run: Run,
  kind: ConfigKind,
  { id, name, updated_at: updatedAt }: ResourceRow,
  { key, seen_at: sinceMs }: Owner,
): Promise<void> {
  const shown = { ...plainAction, type: kind.type, key, id, name, changes: [], path: null, line: null };
  try {
    await attempt(run, () => removeUnchanged(run, kind, id, updatedAt));
    run.changes += 1;
    const action = { ...shown, action: 'delete' as const, reason: null };
    run.outcome.actions.push(action);
    run.outcome.watched.push({ action, id, sinceMs });
    if (kind.type === 'monitors') run.outcome.tried.push({ action, monitorId: id, changes: null });
  } catch (error) {
    const reason = error instanceof Problem ? conflictOf(error) : null;
    if (run.isApply && isOvertaken(error)) throw stale([{ type: kind.type, key, id }]);
    if (reason === null) throw error;
    run.outcome.actions.push({ ...shown, action: 'conflict', reason });
  }
}

/** Throws `changed_since` if anybody but this run has changed it since it was compared. */
async function removeUnchanged(
  { api, nowMs }: Run,
  { path }: ConfigKind,
  id: string,
  updatedAt: number,
): Promise<void> {
  try {
    await api.remove(path, id, updatedAt);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'changed_since') throw error;
    await api.remove(path, id, nowMs);
  }
}
