import type { Assertion } from '#shared/assertions/assertion.ts';
import { wholeEvents } from '../../monitors/kinds/events.ts';
import { judgeMeasured } from '../../monitors/measures/judge.ts';
import type { MonitorPatch, MonitorSettings } from '../../monitors/monitor.ts';
import type { Answered } from './assertions.ts';

/**
 * Pure: results of stored events as other assertions, or another least sample, judge the values that were measured.
 * What was not counted stays unknown.
 */
export function judgeEvents<Result extends Pick<Answered, 'status' | 'failure_source' | 'detail'>>(
  results: readonly Result[],
  stored: Pick<MonitorSettings, 'events' | 'assertions'>,
  changes: Pick<MonitorPatch, 'events' | 'assertions'>,
): Result[] {
  const events = changes.events ?? stored.events;
  if (events == null) return [...results];
  const minSample = wholeEvents(events).min_sample;
  const assertions = (changes.assertions ?? stored.assertions) as readonly Assertion[];
  return results.map(result => {
    const facts = result.detail.facts?.measured;
    if (facts === undefined || facts.value === null) return result;
    const { status, source } = judgeMeasured({ facts, none: null, text: '' }, minSample, assertions);
    return { ...result, status, failure_source: source };
  });
}
