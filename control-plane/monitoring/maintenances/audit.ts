import { isDeepStrictEqual } from 'node:util';
import type { AuditAction } from '../../platform/audit/actions.ts';
import type { Fields } from '../../platform/audit/entry.ts';
import type { Request } from '../../platform/http/endpoint/endpoint.ts';
import { lockExisting } from './lock.ts';
import { findMaintenance } from './store.ts';
import { viewMaintenance } from './view.ts';

type Changing = Pick<
  Request<{ id: string }, unknown, unknown>,
  'sql' | 'caller' | 'params' | 'nowMs' | 'record' | 'expectedUpdate'
>;

type Audited = Fields & { title: string; updates: readonly { id: string; state: string; body: string }[] };

/** A maintenance for the audit: what a client sets, and the occurrence that is now or next. */
export async function auditMaintenance(
  { sql, caller, nowMs }: Pick<Changing, 'sql' | 'caller' | 'nowMs'>,
  id: string,
): Promise<Audited | null> {
  const row = await findMaintenance(sql, caller.projectId, id, nowMs);
  if (row === null) return null;
  const { state: _state, matched_monitors: _matched, current, next, updates, ...settings } = viewMaintenance(row);
  const occurrence = (of: typeof current) =>
    of === null ? null : { id: of.id, starts_at: of.starts_at, ends_at: of.ends_at };
  const texts = updates.map(({ id: update, state, body }) => ({ id: update, state, body }));
  return { ...settings, current: occurrence(current), next: occurrence(next), updates: texts };
}

/** Makes a change between two looks at the maintenance, and records it. Throws `not_found` and `changed_since`. */
export async function recordedChange(
  request: Changing,
  action: AuditAction,
  change: () => Promise<unknown>,
): Promise<void> {
  const { id } = request.params;
  await lockExisting(request.sql, request.caller.projectId, id, request.expectedUpdate);
  const before = await auditMaintenance(request, id);
  await change();
  const after = await auditMaintenance(request, id);
  const [from, to] = before === null || after === null ? [before, after] : onlyChangedUpdates(before, after);
  await request.record({ action, subject: id, name: before?.title ?? null, before: from, after: to });
}

/** A hundred long texts do not belong into the entry of each update that is posted after them. */
function onlyChangedUpdates(before: Audited, after: Audited): [Audited, Audited] {
  const known = new Map(before.updates.map(update => [update.id, update]));
  const changed = after.updates.filter(update => !isDeepStrictEqual(update, known.get(update.id)));
  const ids = new Set(changed.map(update => update.id));
  return [
    { ...before, updates: before.updates.filter(update => ids.has(update.id)) },
    { ...after, updates: changed },
  ];
}
