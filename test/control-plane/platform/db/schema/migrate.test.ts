import test from 'ava';
import { splitAtSeries } from '#control-plane/platform/db/schema/migrate.ts';
import { makeSeriesSql } from '#control-plane/platform/db/series/series.ts';

const table = 'create table results (\n  at timestamptz\n) partition by range (at);';
const rest = 'create index on results (at);';
const results = { name: 'results', column: 'at', spanDays: 1 };

test('a migration without series is one part', t => {
  for (const edition of ['plain', 'apache', 'community'] as const)
    t.deepEqual(splitAtSeries(rest, edition), [{ text: rest, series: null }]);
});

test('on plain PostgreSQL the partitioned table stays as it is and is registered before what follows', t => {
  t.deepEqual(splitAtSeries(`${table}\n--! series results at 1\n${rest}`, 'plain'), [
    { text: table, series: results },
    { text: rest, series: null },
  ]);
});

test('with TimescaleDB the table is an ordinary one, since hypertables are made from those', t => {
  for (const edition of ['apache', 'community'] as const)
    t.deepEqual(splitAtSeries(`${table}\n--! series results at 1\n${rest}`, edition), [
      { text: 'create table results (\n  at timestamptz\n);', series: results },
      { text: rest, series: null },
    ]);
});

test('several series of one migration are split one by one, the last one with an empty rest', t => {
  const parts = splitAtSeries('a\n--! series one at 1\nb\n--! series two hour 28', 'plain');
  t.deepEqual(
    parts.map(part => [part.text, part.series?.name ?? null, part.series?.spanDays ?? null]),
    [
      ['a', 'one', 1],
      ['b', 'two', 28],
      ['', null, null],
    ],
  );
});

for (const line of [
  '-- ! series results at 1',
  '--! series results at',
  '--! series results at one',
  ' --! series r at 1',
])
  test(`"${line}" marks no series`, t => {
    t.deepEqual(splitAtSeries(line, 'plain'), [{ text: line, series: null }]);
  });

test('a series becomes a hypertable', t => {
  t.is(makeSeriesSql(results, 'plain'), null);
  const range = "by_range('at', interval '1 days')";
  t.is(
    makeSeriesSql(results, 'apache'),
    `select create_hypertable('results', ${range}, create_default_indexes => false)`,
  );
});
