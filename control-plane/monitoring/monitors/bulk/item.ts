import type { Change } from '../../../platform/audit/entry.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { fieldProblem, Problem } from '../../../platform/http/problem.ts';
import { lockSelectorBindings } from '../../components/selector-binding-store.ts';
import { changeMonitor, withDefaultPolicy } from '../change.ts';
import { checkNow } from '../check-now.ts';
import type { MonitorServices } from '../configure.ts';
import { type Labels, labelsMax } from '../labels/labels.ts';
import { removeMonitor } from '../remove.ts';
import { lockStates } from '../state/state-store.ts';
import { lockMonitor } from '../store.ts';
import { type Asker, validateMonitorPatch } from '../validate.ts';
import type { BulkAction } from './bulk.ts';

type Target = Asker & { id: string };

/**
 * Applies the action of a bulk call to one monitor. Returns the entry for the audit; null if nothing changed, and
 * `asked` if it was asked to be checked. Throws what the single call would answer.
 */
export async function applyToMonitor(
  sql: Sql,
  services: MonitorServices,
  target: Target,
  action: BulkAction,
  nowMs: number,
): Promise<Change | 'asked' | null> {
  switch (action.type) {
    case 'delete':
      return removeMonitor(sql, services, target, nowMs);
    case 'check_now':
      await checkNow(sql, services, target, undefined, nowMs);
      return 'asked';
    case 'patch': {
      const checked = { ...target, expectedUpdate: null };
      const errors = await validateMonitorPatch(sql, services, checked, action.patch);
      if (errors.length > 0) throw new Problem('validation_failed', { errors });
      return changeMonitor(sql, services, target, withDefaultPolicy(action.patch), nowMs);
    }
    case 'add_labels': {
      const labels = { ...(await lockLabels(sql, target)), ...action.labels };
      if (Object.keys(labels).length > labelsMax)
        throw fieldProblem('/labels', 'too_long', `must have at most ${labelsMax} labels`);
      return changeMonitor(sql, services, target, { labels }, nowMs);
    }
    case 'remove_labels': {
      const kept = Object.entries(await lockLabels(sql, target)).filter(([key]) => !action.keys.includes(key));
      return changeMonitor(sql, services, target, { labels: Object.fromEntries(kept) }, nowMs);
    }
    default:
      return action satisfies never;
  }
}

/** The labels, which nobody else changes until the transaction ends. Locks in the order of every change. */
async function lockLabels(sql: Sql, { projectId, id }: Target): Promise<Labels> {
  await lockSelectorBindings(sql, projectId, 'shared');
  await lockStates(sql, [id]);
  const row = await lockMonitor(sql, projectId, id);
  if (row === null) throw new Problem('not_found');
  return row.labels;
}
