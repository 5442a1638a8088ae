import test from 'ava';
import fc from 'fast-check';
import { binCount, binOf, binsPerDoubling, quantile } from '#control-plane/monitoring/checks/roll-up/latency-bins.ts';

const upperMs = (bin: number) => 2 ** (bin / binsPerDoubling);

for (const [latencyMs, bin] of [
  [0, 0],
  [0.5, 0],
  [1, 0],
  [1.01, 1],
  [1.25, 1],
  [1.27, 2],
  [2, 3],
  [4, 6],
  [1024, 30],
  [1025, 31],
  [52_000, 47],
  [86_400_000, 47],
] as const) {
  test(`${latencyMs} ms falls into bin ${bin}`, t => {
    t.is(binOf(latencyMs), bin);
  });
}

test('a bin holds latencies above the bound of the one before and up to its own, the last one everything above', t => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 86_400_000, noNaN: true }), latencyMs => {
      const bin = binOf(latencyMs);
      const isAboveLower = bin === 0 || latencyMs > upperMs(bin - 1) * (1 - 1e-12);
      const isBelowUpper = bin === binCount - 1 || latencyMs <= upperMs(bin) * (1 + 1e-12);
      return bin >= 0 && bin < binCount && isAboveLower && isBelowUpper;
    }),
  );
  t.pass();
});

const latency = fc.double({ min: 0, max: 50_000, noNaN: true });
const histogramOf = (latencies: readonly number[]) => {
  const bins = new Array<number>(binCount).fill(0);
  for (const latencyMs of latencies) bins[binOf(latencyMs)] = (bins[binOf(latencyMs)] ?? 0) + 1;
  return bins;
};

test('a quantile lies within a bin, 26 %, of the true one, and never above the largest latency', t => {
  fc.assert(
    fc.property(
      fc.array(latency, { minLength: 1, maxLength: 300 }),
      fc.constantFrom(0.01, 0.5, 0.95, 1),
      (latencies, q) => {
        const sorted = latencies.toSorted((left, right) => left - right);
        const maxMs = sorted.at(-1) ?? 0;
        const exact = sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] ?? 0;
        const estimate = quantile(histogramOf(latencies), q, maxMs) ?? Number.NaN;
        const step = 2 ** (1 / binsPerDoubling);
        const isClose = exact <= 1 ? estimate <= 1 : estimate <= exact * step + 0.05 && estimate >= exact / step - 0.05;
        return isClose && estimate <= maxMs;
      },
    ),
  );
  t.pass();
});

test('quantiles ascend with their rank', t => {
  fc.assert(
    fc.property(fc.array(latency, { minLength: 1, maxLength: 100 }), latencies => {
      const bins = histogramOf(latencies);
      const maxMs = Math.max(...latencies);
      const [low, middle, high] = [0.1, 0.5, 0.95].map(q => quantile(bins, q, maxMs) ?? Number.NaN);
      return low !== undefined && middle !== undefined && high !== undefined && low <= middle && middle <= high;
    }),
  );
  t.pass();
});

test('without samples there is no quantile', t => {
  t.is(quantile([], 0.5, 100), null);
  t.is(quantile([0, 0], 0.95, 100), null);
});
