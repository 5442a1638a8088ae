import test from 'ava';
import fc from 'fast-check';
import { expiredPartitions, partitionName, spanEnd, spanStart } from '#control-plane/platform/db/span.ts';

const day = { name: 'results', column: 'at', spanDays: 1 };
const week = { name: 'hours', column: 'hour', spanDays: 7 };

const cases = [
  [day, '2026-11-20T00:00:00.000Z', 'results_20261120'],
  [day, '2026-11-20T23:59:59.999Z', 'results_20261120'],
  [day, '2026-11-21T00:00:00.000Z', 'results_20261121'],
  [day, '1969-12-31T23:59:59.999Z', 'results_19691231'],
  [week, '1970-01-01T00:00:00.000Z', 'hours_19700101'],
  [week, '1970-01-07T23:59:59.999Z', 'hours_19700101'],
  [week, '1970-01-08T00:00:00.000Z', 'hours_19700108'],
] as const;

for (const [series, time, partition] of cases)
  test(`a row of ${time} in spans of ${series.spanDays} days is stored in ${partition}`, t => {
    t.is(partitionName(series, spanStart(series, Date.parse(time))), partition);
  });

const instants = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) });
const anySeries = fc.integer({ min: 1, max: 60 }).map(spanDays => ({ ...day, spanDays }));

test('each instant is in exactly one span', t => {
  fc.assert(
    fc.property(anySeries, instants, (series, ms) => {
      const start = spanStart(series, ms);
      t.true(start <= ms && ms < spanEnd(series, start));
      t.is(spanStart(series, spanEnd(series, start)), spanEnd(series, start));
    }),
  );
});

test('a partition expires when all of its span is before the limit, and not earlier', t => {
  fc.assert(
    fc.property(anySeries, instants, instants, (series, ms, beforeMs) => {
      const start = spanStart(series, ms);
      const name = partitionName(series, start);
      t.deepEqual(expiredPartitions(series, [name], beforeMs), spanEnd(series, start) <= beforeMs ? [name] : []);
    }),
  );
});
