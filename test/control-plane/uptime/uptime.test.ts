import test from 'ava';
import fc from 'fast-check';
import { binCount, binOf, quantile } from '#control-plane/checks/latency-bins.ts';
import { readUptimeRange } from '#control-plane/uptime/range.ts';
import { uptimeReport } from '#control-plane/uptime/report.ts';
import { noSpans, type Row, spansByBucket, spansOf, uptimeOf } from '#control-plane/uptime/uptime.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 10, 1);
const verdict = fc.constantFrom<Row['verdict']>(
  'up',
  'degraded',
  'down',
  'undetermined',
  'pending',
  'paused',
  'deleted',
);
const history = fc
  .array(fc.record({ gap: fc.integer({ min: 1, max: 2 * dayMs }), verdict }), { maxLength: 40 })
  .map(steps => {
    let since = start - dayMs;
    return steps.map(step => {
      since += step.gap;
      return { since, verdict: step.verdict };
    });
  });

test('the seconds of a day are the sum of its hours', t => {
  fc.assert(
    fc.property(history, rows => {
      const days = Array.from({ length: 6 }, (_, index) => start + index * dayMs);
      const hours = Array.from({ length: 121 }, (_, index) => start + index * hourMs);
      const byHour = spansByBucket(rows, hours);
      for (const [index, day] of spansByBucket(rows, days).entries()) {
        const sum = { ...noSpans };
        for (const hour of byHour.slice(index * 24, index * 24 + 24))
          for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += hour[name];
        t.deepEqual(day, sum);
      }
    }),
  );
});

test('buckets in one pass are what each bucket is by itself', t => {
  fc.assert(
    fc.property(
      history,
      fc.uniqueArray(fc.integer({ min: 0, max: 10 * dayMs }), { minLength: 2, maxLength: 12 }),
      (rows, offsets) => {
        const bounds = offsets.map(offset => start + offset).sort((left, right) => left - right);
        const expected = bounds.slice(0, -1).map((from, index) => spansOf(rows, from, bounds[index + 1] ?? from));
        t.deepEqual(spansByBucket(rows, bounds), expected);
      },
    ),
  );
});

test('uptime is exact, not rounded, and only of observed time', t => {
  t.is(uptimeOf({ up: 2, degraded: 0, down: 1, paused: 500, undetermined: 900 }), 2 / 3);
  t.is(uptimeOf({ ...noSpans, undetermined: 5 }), null);
  t.is(uptimeOf({ ...noSpans, up: 86_399_999, down: 1 }), 86_399_999 / 86_400_000);
});

test('nobody knowing is never shown as up: such buckets are left out', t => {
  const now = start + 3 * dayMs + hourMs;
  const rows: Row[] = [
    { since: start, verdict: 'pending' },
    { since: start + dayMs, verdict: 'up' },
    { since: start + 2 * dayMs, verdict: 'undetermined' },
  ];
  const report = uptimeReport(readUptimeRange({ from: '2026-11-01' }, now), rows, [], [start + dayMs + hourMs]);
  t.deepEqual(
    report.data.map(bucket => [bucket.bucket, bucket.uptime, bucket.observed_seconds, bucket.incidents]),
    [['2026-11-02', 1, 86_400, 1]],
  );
});

test('ranges are read as the contract says', t => {
  const now = Date.UTC(2026, 10, 21, 7, 30);
  t.deepEqual(readUptimeRange({}, now).shown, { from: '2026-10-23', to: '2026-11-21' });
  t.is(readUptimeRange({}, now).bounds.at(-1), now);
  t.deepEqual(readUptimeRange({ granularity: 'hour' }, now).shown, {
    from: '2026-11-20T08:00:00.000Z',
    to: '2026-11-21T08:00:00.000Z',
  });
  t.deepEqual(readUptimeRange({ from: '2026-11-01', to: '2026-11-03' }, now).shown, {
    from: '2026-11-01',
    to: '2026-11-03',
  });
  t.is(readUptimeRange({ from: '2026-11-01', to: '2026-11-01' }, now).starts.length, 1);
  t.is(
    readUptimeRange({ granularity: 'hour', from: '2026-11-20T00:00:00+02:00', to: '2026-11-20T01:00:00Z' }, now).starts
      .length,
    3,
  );
  for (const query of [
    { from: 'yesterday' },
    { from: '2026-11-03', to: '2026-11-01' },
    { from: '2024-01-01' },
    { granularity: 'hour' as const, from: '2026-10-01' },
  ]) {
    t.throws(() => readUptimeRange(query, now), { message: /from/ });
  }
});

test('a quantile lies within a bin of the true one', t => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 50_000 }), { minLength: 1, maxLength: 500 }),
      fc.constantFrom(0.5, 0.95),
      (latencies, q) => {
        const bins = new Array<number>(binCount).fill(0);
        for (const latency of latencies) bins[binOf(latency)] = (bins[binOf(latency)] ?? 0) + 1;
        const sorted = latencies.toSorted((left, right) => left - right);
        const exact = sorted[Math.ceil(q * sorted.length) - 1] ?? 0;
        const estimate = quantile(bins, q, sorted.at(-1) ?? 0) ?? 0;
        return estimate <= exact * 1.2601 + 0.1 && estimate >= exact / 1.2601 - 0.1;
      },
    ),
  );
  t.is(quantile([0, 0], 0.5, 0), null);
});
