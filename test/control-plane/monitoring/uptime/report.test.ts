import test from 'ava';
import { binCount, binOf } from '#control-plane/monitoring/checks/roll-up/latency-bins.ts';
import type { CheckTally } from '#control-plane/monitoring/checks/roll-up/tally-store.ts';
import { readUptimeRange } from '#control-plane/monitoring/uptime/range.ts';
import { uptimeReport, uptimeSchema } from '#control-plane/monitoring/uptime/report.ts';
import { type Row, spansByBucket } from '#control-plane/monitoring/verdicts/spans.ts';
import { dayMs, hourMs } from '#shared/duration.ts';

const start = Date.UTC(2026, 10, 1);
const nowMs = start + 3 * dayMs + hourMs;
const range = readUptimeRange({ from: '2026-11-01' }, nowMs);

function hour(at: number, latencies: readonly number[], changes: Partial<CheckTally> = {}): CheckTally {
  const latency_bins = new Array<number>(binCount).fill(0);
  for (const latency of latencies) latency_bins[binOf(latency)] = (latency_bins[binOf(latency)] ?? 0) + 1;
  return {
    start: at,
    ok: latencies.length,
    warn: 0,
    err: 0,
    latency_max: Math.max(0, ...latencies),
    latency_bins,
    ...changes,
  };
}

test('a bucket shows the time by verdict, and all regions and hours of the roll-up together', t => {
  const rows: Row[] = [
    { since: start, verdict: 'up' },
    { since: start + hourMs, verdict: 'down' },
    { since: start + 2 * hourMs, verdict: 'degraded' },
    { since: start + 3 * hourMs, verdict: 'paused' },
    { since: start + 5 * hourMs, verdict: 'pending' },
    { since: start + 6 * hourMs, verdict: 'up' },
    { since: start + dayMs, verdict: 'deleted' },
  ];
  const hours = [hour(start, [10, 10]), hour(start, [100], { warn: 2 }), hour(start + 23 * hourMs, [20], { err: 3 })];
  const report = uptimeReport(range, spansByBucket(rows, range.bounds), hours, [
    start + 1,
    start + dayMs - 1,
    start + dayMs,
  ]);
  t.is(report.data.length, 1, 'days after the deletion are omitted');
  const [bucket] = report.data;
  t.like(bucket, {
    bucket: '2026-11-01',
    uptime: 20 / 21,
    incidents: 2,
    down_seconds: 3600,
    degraded_seconds: 3600,
    observed_seconds: 21 * 3600,
    excluded: { paused_seconds: 7200, undetermined_seconds: 3600 },
    checks: { ok: 4, warn: 2, err: 3 },
  });
  t.is(bucket?.latency_ms.p95, 100);
  t.true((bucket?.latency_ms.p50 ?? 0) > 7 && (bucket?.latency_ms.p50 ?? 0) < 13);
  t.true(uptimeSchema.safeParse(report).success);
});

test('a day without checks has no latency, and the last bucket counts only until now', t => {
  const report = uptimeReport(range, spansByBucket([{ since: start, verdict: 'up' }], range.bounds), [], []);
  t.deepEqual(
    report.data.map(({ bucket, observed_seconds }) => [bucket, observed_seconds]),
    [
      ['2026-11-01', 86_400],
      ['2026-11-02', 86_400],
      ['2026-11-03', 86_400],
      ['2026-11-04', 3600],
    ],
  );
  t.deepEqual(report.data[0]?.latency_ms, { p50: null, p95: null });
});

test('hours and incidents outside the range count nowhere', t => {
  const outside = [start - 1, start + 4 * dayMs];
  const report = uptimeReport(
    range,
    spansByBucket([{ since: start, verdict: 'up' }], range.bounds),
    outside.map(at => hour(at, [1])),
    outside,
  );
  t.true(report.data.every(({ checks, incidents }) => checks.ok === 0 && incidents === 0));
});
