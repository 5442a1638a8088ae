import type { AssertionOutcome } from '#shared/assertions/evaluate.ts';
import { describeExpectation } from '#shared/assertions/evaluate.ts';

const samplesMin = 5;

/** Nearest rank of the 95th percentile; `latencies` need not be sorted. */
export function nearestRankP95(latencies: readonly number[]): number | null {
  const sorted = latencies.toSorted((left, right) => left - right);
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? null;
}

/** Outcome of a `latency_p95` assertion over the latencies of its window. Under five samples nothing is decided. */
export function judgeP95(
  index: number,
  assertion: { operator: 'lt' | 'lte'; value_ms: number; window_minutes: number },
  latencies: readonly number[],
): AssertionOutcome {
  const expected = describeExpectation({ type: 'latency_p95', ...assertion });
  const p95 = nearestRankP95(latencies);
  if (p95 === null || latencies.length < samplesMin) {
    return { index, type: 'latency_p95', passed: null, expected, actual: null, skipped: 'too_few_samples' };
  }
  const passed = assertion.operator === 'lt' ? p95 < assertion.value_ms : p95 <= assertion.value_ms;
  return { index, type: 'latency_p95', passed, expected, actual: `${Math.round(p95 * 10) / 10} ms` };
}
