import test from 'ava';
import fc from 'fast-check';
import { readUptimeRange } from '#control-plane/monitoring/uptime/range.ts';
import { uptimeReport } from '#control-plane/monitoring/uptime/report.ts';
import {
  noSpans,
  observedMs,
  type Row,
  spansByBucket,
  spansOf,
  uptimeOf,
  withWindows,
} from '#control-plane/monitoring/verdicts/spans.ts';
import { dayMs, hourMs } from '#shared/duration.ts';

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
  t.is(uptimeOf({ ...noSpans, up: 2, down: 1, paused: 500, maintenance: 700, undetermined: 900 }), 2 / 3);
  t.is(uptimeOf({ ...noSpans, undetermined: 5 }), null);
  t.is(uptimeOf({ ...noSpans, up: 86_399_999, down: 1 }), 86_399_999 / 86_400_000);
});

test('time without a verdict is never shown as up: such buckets are omitted', t => {
  const now = start + 3 * dayMs + hourMs;
  const rows: Row[] = [
    { since: start, verdict: 'pending' },
    { since: start + dayMs, verdict: 'up' },
    { since: start + 2 * dayMs, verdict: 'undetermined' },
  ];
  const range = readUptimeRange({ from: '2026-11-01' }, now);
  const report = uptimeReport(range, spansByBucket(rows, range.bounds), [], [start + dayMs + hourMs]);
  t.deepEqual(
    report.data.map(bucket => [bucket.bucket, bucket.uptime, bucket.observed_seconds, bucket.incidents]),
    [['2026-11-02', 1, 86_400, 1]],
  );
});

for (const [title, rows, expected] of [
  ['no rows', [], {}],
  ['a row before the period', [['up', -50]], { up: 100 }],
  ['a row at its start', [['down', 0]], { down: 100 }],
  ['a row at its end', [['down', 100]], {}],
  [
    'a change within it',
    [
      ['up', -50],
      ['down', 30],
    ],
    { up: 30, down: 70 },
  ],
  [
    'a row that ends before it',
    [
      ['down', -50],
      ['up', -10],
    ],
    { up: 100 },
  ],
  [
    'pending, which had no verdict',
    [
      ['pending', 0],
      ['up', 40],
    ],
    { undetermined: 40, up: 60 },
  ],
  [
    'deletion, after which nothing counts',
    [
      ['up', 0],
      ['deleted', 40],
    ],
    { up: 40 },
  ],
  [
    'a revival',
    [
      ['deleted', 0],
      ['pending', 40],
      ['degraded', 60],
    ],
    { undetermined: 20, degraded: 40 },
  ],
] as const) {
  test(`spans of a period with ${title}`, t => {
    const history = rows.map(([verdict, since]): Row => ({ verdict, since: start + since }));
    t.deepEqual(spansOf(history, start, start + 100), { ...noSpans, ...expected });
  });
}

test('observed, paused and undetermined time never exceed the period, and uptime is a share', t => {
  fc.assert(
    fc.property(history, fc.nat({ max: 10 * dayMs }), (rows, length) => {
      const spans = spansOf(rows, start, start + length);
      const uptime = uptimeOf(spans);
      t.true(observedMs(spans) + spans.paused + spans.undetermined <= length);
      t.true(uptime === null ? observedMs(spans) === 0 : uptime >= 0 && uptime <= 1);
    }),
  );
});

test('windows partition time: each ms is the first that fits of paused, maintenance and the verdict', t => {
  const verdictNames = ['up', 'down', 'degraded', 'undetermined', 'pending', 'paused', 'deleted'] as const;
  const rowsOf = fc
    .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.constantFrom(...verdictNames)), {
      selector: ([since]) => since,
      maxLength: 8,
    })
    .map(rows => rows.sort(([left], [right]) => left - right).map(([since, verdict]): Row => ({ since, verdict })));
  const spansArbitrary = fc.array(
    fc
      .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }))
      .map(([start, length]) => ({ start, end: start + length })),
    { maxLength: 5 },
  );
  const property = fc.property(rowsOf, spansArbitrary, (rows, windows) => {
    const expected = { ...noSpans };
    for (let ms = 0; ms < 80; ms++) {
      const verdict = rows.findLast(row => row.since <= ms)?.verdict;
      if (verdict === undefined || verdict === 'deleted') continue;
      const isCovered = windows.some(({ start, end }) => start <= ms && ms < end);
      if (verdict === 'paused') expected.paused += 1;
      else if (isCovered) expected.maintenance += 1;
      else expected[verdict === 'pending' ? 'undetermined' : (verdict as 'up')] += 1;
    }
    const divided = withWindows(rows, windows);
    t.deepEqual(spansOf(divided, 0, 80), expected);
    const halves = spansByBucket(divided, [0, 31, 80]);
    for (const name of Object.keys(expected) as (keyof typeof expected)[])
      t.is(
        halves.reduce((sum, spans) => sum + spans[name], 0),
        expected[name],
        'a day is the sum of its parts',
      );
  });
  fc.assert(property, { numRuns: 500 });
});
