import type { ConfigKind } from '../kinds/kind.ts';
import { configKinds, orderedKinds } from '../kinds/kinds.ts';
import { requireScopes } from '../kinds/scopes.ts';
import { deleteOwners, type Owner, writeOwners } from '../owners/store.ts';
import type { Transacted } from './endpoints.ts';
import { orderResources } from './order-resources.ts';
import { readItems } from './read-items.ts';
import { removeOthers } from './remove-others.ts';
import {
  changesMax,
  digestOf,
  note,
  type Outcome,
  openRun,
  type Run,
  type RunServices,
  requireTime,
  type Wanted,
} from './run.ts';
import { writeItem } from './write-item.ts';

/**
 * Makes the project as the documents say, in a transaction: the same for a plan, which is then rolled back, and for an
 * apply. Every write is one of an endpoint of the API. In an apply, nothing may be refused any more.
 */
export async function carryOut(
  services: RunServices,
  transacted: Transacted,
  wanted: Wanted,
  isApply: boolean,
): Promise<Outcome> {
  const run = await openRun(services, transacted, wanted, isApply);
  if (isTouched(run, configKinds.secrets)) run.untouched = await untouchedMonitors(run);
  for (const kind of orderedKinds) if (isTouched(run, kind)) await carryOutKind(run, kind);
  if (wanted.prune) await removeOthers(run);
  if (isApply && run.changes > 0) await keepOwners(run);
  return run.outcome;
}

/** A secret's new value is a new version of each monitor that names it. */
async function untouchedMonitors({ sql, caller }: Run): Promise<Run['untouched']> {
  const rows = await configKinds.monitors.rows(sql, caller.projectId);
  return new Map(rows.map(row => [row.id, row]));
}

function isTouched({ wanted, owners }: Run, { type }: ConfigKind): boolean {
  const { merged, prune } = wanted;
  const mayDelete = prune && owners.some(owner => owner.type === type && owner.managed_by === merged.manager);
  return mayDelete || merged.items.some(item => item.type === type);
}

async function carryOutKind(run: Run, kind: ConfigKind): Promise<void> {
  const { sql, caller, isApply } = run;
  requireScopes([kind.type], caller.scopes, isApply ? 'write' : 'read');
  const rows = await kind.rows(sql, caller.projectId);
  run.rows.set(kind, rows);
  run.settled.set(kind, []);
  const changed = readItems(run, kind, rows);
  const existing = changed.flatMap(({ decision }) => ('row' in decision ? [decision.row.id] : []));
  if (changed.length > 0) await kind.lock?.(sql, caller.projectId, existing);
  for (const found of changed) {
    requireTime(run);
    if (run.changes >= changesMax) run.outcome.remaining += 1;
    else await writeItem(run, kind, found);
  }
  if (kind.type === 'routes' || kind.type === 'components') await putInOrder(run, kind);
}

/** A move is a change of the position. */
async function putInOrder(run: Run, kind: ConfigKind): Promise<void> {
  const places = new Map(run.wanted.merged.items.map((item, index) => [item, index]));
  const settled = (run.settled.get(kind) ?? []).toSorted(
    (left, right) => (places.get(left.found.item) ?? 0) - (places.get(right.found.item) ?? 0),
  );
  const placed = settled.map(({ found, id }) => {
    return { id, parentId: found.parentId, isNew: found.decision.action === 'create' };
  });
  const moved = await orderResources(kind, run.api, run.sql, run.caller.projectId, placed);
  for (const { id, before, after } of moved) {
    const found = settled.find(entry => entry.id === id)?.found;
    if (found === undefined || found.decision.action === 'create') continue;
    const change = { pointer: '/position', before, after };
    const action = run.outcome.actions.find(other => other.id === id);
    if (action !== undefined) action.changes.push(change);
    else {
      run.outcome.unchanged -= 1;
      run.changes += 1;
      note(run, found, { action: 'update', changes: [change] });
    }
  }
}

/** Remembers who manages what, and how the apply left it. */
async function keepOwners(run: Run): Promise<void> {
  const { sql, caller, wanted } = run;
  const owners: Owner[] = [];
  for (const [kind, settled] of run.settled) {
    const rows = new Map((await kind.rows(sql, caller.projectId)).map(row => [row.id, row]));
    for (const { found, id } of settled) {
      const row = rows.get(id);
      if (row === undefined) continue;
      owners.push({
        resource_id: id,
        type: kind.type,
        parent_id: found.parentId,
        key: found.item.key,
        managed_by: wanted.merged.manager,
        digest: digestOf(run, kind, found.resolved.body, row.also),
        seen_at: row.updated_at,
      });
    }
  }
  await writeOwners(sql, caller.projectId, owners);
  const deleted = run.outcome.actions.flatMap(({ action, id }) => (action === 'delete' && id !== null ? [id] : []));
  const kept = new Set(owners.map(owner => owner.resource_id));
  await deleteOwners(sql, caller.projectId, [...deleted, ...goneBefore(run).filter(id => !kept.has(id))]);
}

/** What somebody else has deleted since the last apply. */
function goneBefore({ owners, rows }: Run): string[] {
  return [...rows].flatMap(([{ type }, present]) => {
    const ids = new Set(present.map(({ id }) => id));
    return owners.filter(owner => owner.type === type && !ids.has(owner.resource_id)).map(owner => owner.resource_id);
  });
}
