import { createHash } from 'node:crypto';
import { checkOf } from '../kinds/rules.ts';
import type { MonitorSettings } from '../monitor.ts';

/**
 * The records that must not change in a version: their type, and a hash of the query that gives them. `assertions`:
 * each by its index, with its window.
 */
export type UnchangedRecords = {
  type: string;
  target: string;
  assertions: readonly { index: number; window_minutes: number }[];
};

/** Pure: null if no assertion asks for it. */
export function unchangedOf(settings: MonitorSettings): UnchangedRecords | null {
  const assertions = settings.assertions.flatMap((assertion, index) =>
    assertion.type === 'dns_changed' ? [{ index, window_minutes: assertion.window_minutes }] : [],
  );
  const check = assertions.length === 0 ? null : checkOf(settings);
  if (check?.kind !== 'dns') return null;
  const { agree_with: _, ...query } = check;
  return { type: check.type, target: createHash('sha256').update(JSON.stringify(query)).digest('base64'), assertions };
}
