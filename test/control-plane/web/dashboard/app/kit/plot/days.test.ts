import test from 'ava';
import fc from 'fast-check';
import {
  dateBefore,
  daysOf,
  describeDay,
  describeDays,
  formatPercent,
  uptimeOf,
} from '#control-plane/web/dashboard/app/kit/plot/days.ts';
import { nowMs, sampleBucket } from '../../samples.ts';

const observed = 86_400;

test('a day that was not measured is never shown as up', t => {
  const buckets = [
    sampleBucket({ bucket: '2026-11-17', down_seconds: 3600 }),
    sampleBucket({ bucket: '2026-11-18', down_seconds: 1 }),
    sampleBucket({ bucket: '2026-11-19', degraded_seconds: 5 }),
    sampleBucket({ bucket: '2026-11-20' }),
    sampleBucket({ bucket: '2026-11-21', observed_seconds: 0 }),
  ];
  const days = daysOf(buckets, nowMs, 6);
  t.deepEqual(
    days.map(day => `${day.date} ${day.level}`),
    [
      '2026-11-16 none',
      '2026-11-17 down',
      '2026-11-18 partial',
      '2026-11-19 degraded',
      '2026-11-20 up',
      '2026-11-21 none',
    ],
  );
  t.is(uptimeOf(days), 1 - 3601 / (4 * observed));
});

test('a short day counts as down when more than half of its measured time was', t => {
  const levels = [301, 300].map(down_seconds =>
    daysOf([sampleBucket({ observed_seconds: 600, down_seconds })], nowMs, 1),
  );
  t.deepEqual(
    levels.map(([day]) => day?.level),
    ['down', 'partial'],
  );
});

test('without buckets there are ninety days up to today and no uptime', t => {
  const days = daysOf([], nowMs);
  t.is(days.length, 90);
  t.is(days[0]?.date, dateBefore(nowMs, 89));
  t.is(days.at(-1)?.date, '2026-11-21');
  t.is(uptimeOf(days), null);
});

test('uptime is never rounded up', t => {
  const cases: [number, string][] = [
    [1, '100%'],
    [0.9999999, '99.999%'],
    [0.99995, '99.995%'],
    [0.9989999, '99.89%'],
    [0.5, '50.00%'],
    [0, '0.00%'],
  ];
  for (const [fraction, text] of cases) t.is(formatPercent(fraction), text);
  const property = fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fraction => {
    const shown = Number(formatPercent(fraction).replace('%', '')) / 100;
    return shown <= fraction + 1e-12 && (shown < 1 || fraction === 1);
  });
  t.notThrows(() => fc.assert(property));
});

test('days are described each, and summed up for screen readers; a day without data is not up', t => {
  const buckets = [
    sampleBucket({ bucket: '2026-11-19', uptime: 0.5, down_seconds: 43_200 }),
    sampleBucket({ bucket: '2026-11-20', uptime: 0.999, down_seconds: 86, degraded_seconds: 120 }),
  ];
  const days = daysOf(buckets, nowMs, 3);
  t.deepEqual(days.map(describeDay), [
    '2026-11-19: 50.00%, down 12 h',
    '2026-11-20: 99.900%, down 1 min 26 s, degraded 2 min',
    '2026-11-21: no data',
  ]);
  t.is(describeDays(days), '3 days: 74.95% up, 2 days with downtime, 1 day without data');
  t.is(describeDays(daysOf([], nowMs, 2)), '2 days: no data');
});

test('days that were brought from another tool say so', t => {
  const bucket = sampleBucket({ bucket: '2026-11-21', imported_seconds: 3600 });
  const days = daysOf([bucket], nowMs, 2);
  t.deepEqual(days.map(describeDay), ['2026-11-20: no data', '2026-11-21: 100%, brought from another tool']);
  t.is(
    describeDays(days),
    '2 days: 100% up, 0 days with downtime, 1 day without data, 1 day brought from another tool',
  );
});
