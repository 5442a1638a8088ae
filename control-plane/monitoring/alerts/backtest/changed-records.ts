import type { Assertion } from '#shared/assertions/assertion.ts';
import type { CheckStatus } from '#shared/check-result.ts';
import { addToRuns, firstInWindow, judgeChanged, type Run, recordsOf } from '../../checks/intake/dns-runs.ts';
import type { StoredAnswer } from './decide-stored.ts';

/** Whether the records of an answer differ from those at the beginning of its window. */
export type HasChanged = (assertion: Assertion, answer: Seen) => boolean;
type Seen = StoredAnswer & { region?: string; scheduled_at: number; status: CheckStatus };

/**
 * Remembers what each region found, one answer after another: the range of a back-test is read in parts. Before it
 * nothing is known.
 */
export function changedRecords(recordType: string | null): HasChanged {
  const runs = new Map<string, Run[]>();
  return (assertion, { region = '', scheduled_at: at, status, detail: { facts } }) => {
    if (assertion.type !== 'dns_changed' || recordType === null || facts?.dns === undefined) return false;
    const records = recordsOf(facts.dns, recordType);
    if (records === null) return false;
    const key = `${region} ${assertion.window_minutes}`;
    const before = runs.get(key) ?? [];
    const after = status === 'err' ? before : addToRuns(before, at, records);
    runs.set(key, after);
    const { window_minutes } = assertion;
    return (
      judgeChanged({ index: 0, window_minutes }, firstInWindow(after, at, window_minutes), records).passed === false
    );
  };
}
