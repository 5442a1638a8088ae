import test from 'ava';
import { forecastStorage } from '#control-plane/operations/housekeeping.ts';
import type { Edition } from '#control-plane/platform/db/series/edition.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { forecastOf, type StoredSpan } from '#control-plane/platform/db/series/storage-forecast.ts';
import { instant, sqlOf } from '#control-plane/platform/db/sql.ts';
import { dayMs } from '#shared/duration.ts';
import { useDatabase } from '#test/support/database.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const database = useDatabase(test);
const span = (day: number, bytes: number, isCompressed = false, days = 1): StoredSpan => ({
  name: 'check_results',
  startMs: day * dayMs,
  endMs: (day + days) * dayMs,
  bytes,
  isCompressed,
});
const now = 100.5 * dayMs;

for (const [title, spans, daysKept, expected] of [
  ['nothing is stored', [], 30, { bytes: 0, bytesPerDay: null, forecastBytes: null }],
  ['the first day is not over', [span(100, 40)], 30, { bytes: 40, bytesPerDay: null, forecastBytes: null }],
  [
    'days are not compressed',
    [span(98, 90), span(99, 110), span(100, 40)],
    30,
    { bytesPerDay: 100, forecastBytes: 3000 },
  ],
  [
    'days are compressed after two',
    [span(96, 10, true), span(97, 10, true), span(98, 100), span(99, 100), span(100, 40)],
    30,
    { bytes: 260, bytesPerDay: 100, compressedBytesPerDay: 10, forecastBytes: 2 * 100 + 28 * 10 },
  ],
  [
    'a series has no retention',
    [span(70, 300, false, 30)],
    null,
    { bytesPerDay: 10, forecastBytes: 3650, daysKept: null },
  ],
  [
    'the rate has grown',
    Array.from({ length: 20 }, (_, age) => span(99 - age, age < 7 ? 200 : 1)),
    30,
    { bytesPerDay: 200, forecastBytes: 6000 },
  ],
] as const)
  test(`the forecast when ${title}`, t => {
    t.like(forecastOf('check_results', spans, daysKept, now), expected);
  });

test('each series has a forecast by what is stored in this edition', async t => {
  const edition = (process.env.TEST_STORAGE ?? 'plain') as Edition;
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  const yesterday = Date.now() - dayMs;
  await (await openSeries(pools.background, sql, edition)).ensure('check_results', [yesterday]);
  await sql.run`
    insert into check_results (monitor_id, scheduled_at, region, kind, attempt, status, agent_id, config_version,
      started_at, completed_at, received_at, detail)
    select 'm' || n, at, 'r', 'scheduled', 1, 'ok', 'a', 1, at, at, at, '{}'
    from generate_series(1, 1000) as n
    cross join (values (${instant(yesterday)}::timestamptz)) as slot (at)`;
  const forecast = await forecastStorage(sql, edition, Date.now());
  const names = ['check_results', 'check_shapes', 'checks_hourly', 'events'];
  t.true(names.every(name => forecast.some(series => series.name === name)));
  const results = forecast.find(series => series.name === 'check_results');
  t.true((results?.bytesPerDay ?? 0) > 100_000 && (results?.bytesPerDay ?? 0) < 1_000_000);
  t.is(results?.forecastBytes, 30 * (results?.bytesPerDay ?? 0));
});
