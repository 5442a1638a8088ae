import test from 'ava';
import fc from 'fast-check';
import { judgeP95 } from '#control-plane/monitoring/checks/intake/latency-p95.ts';
import { p95OfWindows } from '#control-plane/monitoring/checks/intake/window-p95.ts';
import { leastThreadMs, timesAsLong } from '#test/support/thread-time.ts';

const latencies = fc.array(fc.double({ min: 0, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 200 });

/** The smallest latency that at least 95 % of all are not above. */
function bruteForceP95(values: readonly number[]): number {
  const candidates = values.filter(
    candidate => values.filter(value => value <= candidate).length * 100 >= 95 * values.length,
  );
  return Math.min(...candidates);
}

/** The 95th percentile of latencies that all lie in one window. */
function nearestRankP95(values: readonly number[]): number | null {
  const samples = values.map((latency_ms, index) => ({ scheduled_at: index, latency_ms }));
  return p95OfWindows(samples, [{ afterMs: -1, untilMs: values.length }])[0]?.p95 ?? null;
}

test('the nearest rank is the smallest latency that 95 % are not above', t => {
  fc.assert(fc.property(latencies, values => nearestRankP95(values) === bruteForceP95(values)));
  t.is(nearestRankP95([]), null);
});

for (const [count, rank] of [
  [1, 1],
  [19, 19],
  [20, 19],
  [21, 20],
  [40, 38],
  [100, 95],
] as const) {
  test(`of ${count} latencies the 95th percentile is number ${rank}`, t => {
    const values = Array.from({ length: count }, (_, index) => index + 1);
    t.is(nearestRankP95(values.toReversed()), rank);
  });
}

for (const [operator, p95, passed] of [
  ['lt', 99.9, true],
  ['lt', 100, false],
  ['lte', 100, true],
  ['lte', 100.04, false],
] as const) {
  test(`a p95 of ${p95} ms ${passed ? 'passes' : 'fails'} ${operator} 100`, t => {
    const outcome = judgeP95(3, { operator, value_ms: 100, window_minutes: 5 }, { count: 5, p95 });
    t.like(outcome, { index: 3, type: 'latency_p95', passed, actual: `${Math.round(p95 * 10) / 10} ms` });
  });
}

test('fewer than five latencies decide nothing', t => {
  const assertion = { operator: 'lt', value_ms: 100, window_minutes: 5 } as const;
  for (const count of [0, 1, 4])
    t.deepEqual(judgeP95(0, assertion, { count, p95: 500 }), {
      index: 0,
      type: 'latency_p95',
      passed: null,
      expected: 'p95 latency lt 100 ms over 5 min',
      actual: null,
      skipped: 'too_few_samples',
    });
  t.is(judgeP95(0, assertion, { count: 5, p95: 500 }).passed, false);
});

test('many windows over many samples are each what the latencies within them yield', t => {
  const samples = fc.array(fc.record({ scheduled_at: fc.nat(1000), latency_ms: fc.nat(50) }), { maxLength: 200 });
  const windows = fc.array(
    fc.record({ untilMs: fc.nat(1000), length: fc.constantFrom(1, 10, 100, 1000) }).map(({ untilMs, length }) => ({
      afterMs: untilMs - length,
      untilMs,
    })),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(samples, windows, (all, asked) => {
      t.deepEqual(
        p95OfWindows(all, asked),
        asked.map(({ afterMs, untilMs }) => {
          const inside = all.filter(({ scheduled_at }) => scheduled_at > afterMs && scheduled_at <= untilMs);
          const values = inside.map(({ latency_ms }) => latency_ms);
          return { count: values.length, p95: values.length === 0 ? null : bruteForceP95(values) };
        }),
      );
    }),
  );
});

test('three windows of a day for each of 500 late results cost a fraction of a second', async t => {
  const samples = Array.from({ length: 26_000 }, (_, index) => ({
    scheduled_at: index * 3323,
    latency_ms: index % 977,
  }));
  const windows = Array.from({ length: 1500 }, (_, index) => {
    const untilMs = 86_400_000 - Math.floor(index / 3) * 10_000;
    return { afterMs: untilMs - 86_400_000 / (1 + (index % 3)), untilMs };
  });
  const usedMs = await leastThreadMs(1000, () => p95OfWindows(samples, windows));
  t.true(usedMs < 1000, `${usedMs} ms`);
});

test('one window of a day costs a fraction of what the windows of a spool do', async t => {
  const samples = Array.from({ length: 26_000 }, (_, index) => ({
    scheduled_at: index * 3323,
    latency_ms: ((index * 7919) % 26_000) / 26,
  }));
  const windows = Array.from({ length: 9 }, (_, index) => ({ afterMs: 0, untilMs: 86_400_000 - index * 10_000 }));
  const times = await timesAsLong(
    1 / 6,
    () => p95OfWindows(samples, windows),
    () => p95OfWindows(samples, windows.slice(0, 1)),
  );
  t.true(times < 1 / 6, `${times} of their time`);
});
