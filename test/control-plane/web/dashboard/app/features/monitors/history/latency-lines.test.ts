import test from 'ava';
import {
  bucketPlot,
  outageSpans,
  phasePlot,
  regionPlot,
} from '#control-plane/web/dashboard/app/features/monitors/history/latency-lines.ts';
import { nowMs, sampleAlert, sampleBucket, sampleCheck } from '../../../samples.ts';

test('hours are all of which a part is shown, and an hour without a bucket is a gap', t => {
  const buckets = [
    sampleBucket({ bucket: '2026-11-21T08:00:00Z', latency_ms: { p50: 20, p95: 90 } }),
    sampleBucket({ bucket: '2026-11-21T10:00:00Z', latency_ms: { p50: 30, p95: null } }),
  ];
  const plot = bucketPlot(buckets, 3_600_000, { fromMs: nowMs - 5_400_000, toMs: nowMs + 1_800_000 });
  t.deepEqual(
    plot.times.map(time => new Date(time * 1000).toISOString().slice(11, 16)),
    ['08:00', '09:00', '10:00'],
  );
  t.deepEqual(plot.lines, [
    { label: 'p50', values: [20, null, 30] },
    { label: 'p95', values: [90, null, null] },
  ]);
  t.false(plot.joined);
});

test('checks become one line per region over common times; those without a response have no point', t => {
  const check = (region: string, second: number, latency_ms: number | null) =>
    sampleCheck({ region, latency_ms, scheduled_at: `2026-11-21T09:59:0${second}.000Z` });
  const plot = regionPlot([check('us', 2, 90), check('eu', 2, null), check('eu', 0, 40), check('us', 1, 80)]);
  t.deepEqual(
    plot.times.map(time => time % 60),
    [0, 1, 2],
  );
  t.deepEqual(plot.lines, [
    { label: 'eu', values: [40, null, null] },
    { label: 'us', values: [null, 80, 90] },
  ]);
  t.deepEqual(regionPlot([]), { times: [], lines: [], joined: true });
});

test('only times when the monitor was down are outages', t => {
  const spans = outageSpans([sampleAlert({ kind: 'degraded' }), sampleAlert()], nowMs);
  t.deepEqual(spans, [{ from: nowMs / 1000 - 600, to: nowMs / 1000 }]);
});

test('phases are averages of a minute, one upon the other, and the whole comes first', t => {
  const check = (second: number, first_byte_ms: number) =>
    sampleCheck({
      scheduled_at: `2026-11-21T09:59:${second}.000Z`,
      timings: {
        dns_ms: null,
        connect_ms: 10,
        tls_ms: 20,
        first_byte_ms,
        download_ms: 5,
        starttls_ms: null,
        proxy_ms: null,
        auth_ms: 7,
      },
    });
  const plot = phasePlot([
    check(10, 30),
    check(40, 50),
    { ...check(50, 1), timings: null },
    { ...check(50, 900), delayed_ms: 880 },
  ]);
  t.deepEqual(
    plot.lines.map(({ label, values }) => [label, ...values]),
    [
      ['download', 75],
      ['first byte', 70],
      ['tls', 30],
      ['connect', 10],
      ['dns', 0],
    ],
  );
});

test('time at a proxy is shown where a check has it', t => {
  const timings = { dns_ms: 1, connect_ms: 2, tls_ms: null, first_byte_ms: 4, download_ms: 8, starttls_ms: null };
  const { lines } = phasePlot([sampleCheck({ timings: { ...timings, proxy_ms: 16, auth_ms: null } })]);
  t.deepEqual(
    lines.map(({ label }) => label),
    ['download', 'first byte', 'tls', 'proxy', 'connect', 'dns'],
  );
  t.deepEqual(lines[0]?.values, [31]);
});
