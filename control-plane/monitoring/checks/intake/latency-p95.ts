import { describeExpectation } from '#shared/assertions/describe.ts';
import type { AssertionOutcome } from '#shared/assertions/evaluate.ts';
import type { WindowP95 } from './window-p95.ts';

const samplesMin = 5;

/** Outcome of a `latency_p95` assertion over its window; skipped with fewer than five samples. */
export function judgeP95(
  index: number,
  assertion: { operator: 'lt' | 'lte'; value_ms: number; window_minutes: number },
  { count, p95 }: WindowP95,
): AssertionOutcome {
  const expected = describeExpectation({ type: 'latency_p95', ...assertion });
  if (p95 === null || count < samplesMin) {
    return { index, type: 'latency_p95', passed: null, expected, actual: null, skipped: 'too_few_samples' };
  }
  const passed = assertion.operator === 'lt' ? p95 < assertion.value_ms : p95 <= assertion.value_ms;
  return { index, type: 'latency_p95', passed, expected, actual: `${Math.round(p95 * 10) / 10} ms` };
}
