import type { List } from '../../../session/api.ts';
import type { CheckResult } from '../../../session/api-types.ts';

/** A monitor's results, newest first: the newest page is reloaded, older pages are loaded once. */
export type CheckPages = { checks: readonly CheckResult[]; cursor: string | null };

export const noChecks: CheckPages = { checks: [], cursor: null };

/** Puts a newly loaded first page before those that are shown. */
export function mergeChecks({ checks, cursor }: CheckPages, newest: List<CheckResult>): CheckPages {
  const ids = new Set(newest.data.map(check => check.id));
  // After a long pause the pages no longer overlap: older ones are dropped rather than shown with a gap.
  const overlaps = checks.some(check => ids.has(check.id));
  const older = overlaps ? checks.filter(check => !ids.has(check.id)) : [];
  return {
    checks: [...newest.data, ...older],
    cursor: older.length > 0 ? cursor : newest.pagination.next_cursor,
  };
}

export function appendChecks({ checks }: CheckPages, next: List<CheckResult>): CheckPages {
  const ids = new Set(checks.map(check => check.id));
  return {
    checks: [...checks, ...next.data.filter(check => !ids.has(check.id))],
    cursor: next.pagination.next_cursor,
  };
}
