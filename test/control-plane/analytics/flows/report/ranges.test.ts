import test from 'ava';
import fc from 'fast-check';
import { type PlannedRange, planRanges, type RangeRequest } from '#control-plane/analytics/flows/report/ranges.ts';
import { hourMs, minuteMs } from '#shared/duration.ts';

const nineMs = Date.UTC(2026, 10, 2, 9);
const at = (hour: number, minute = 0) => nineMs + (hour - 9) * hourMs + minute * minuteMs;
const raw = (fromMs: number, toMs: number): PlannedRange => ({ fromMs, toMs, source: 'raw' });
const hourly = (fromMs: number, toMs: number): PlannedRange => ({ fromMs, toMs, source: 'hourly' });
const request: RangeRequest = { fromMs: at(9), toMs: at(12), rawFromMs: 0, dirtyHours: [], source: 'auto' };

const cases: [title: string, changes: Partial<RangeRequest>, expected: PlannedRange[]][] = [
  ['whole hours come from the roll-up', {}, [hourly(at(9), at(12))]],
  ['an empty range is read raw', { toMs: at(9) }, [raw(at(9), at(9))]],
  ['raw on request', { source: 'raw', fromMs: at(9, 10) }, [raw(at(9, 10), at(12))]],
  ['hourly on request grows to whole hours', { source: 'hourly', fromMs: at(9, 10) }, [hourly(at(9), at(12))]],
  [
    'partial hours at both ends are read raw',
    { fromMs: at(9, 10), toMs: at(11, 50) },
    [raw(at(9, 10), at(10)), hourly(at(10), at(11)), raw(at(11), at(11, 50))],
  ],
  ['a range within one hour is read raw', { fromMs: at(9, 10), toMs: at(9, 20) }, [raw(at(9, 10), at(9, 20))]],
  ['raw neighbours are joined', { fromMs: at(9, 10), toMs: at(10, 20) }, [raw(at(9, 10), at(10, 20))]],
  [
    'a dirty hour is read raw',
    { dirtyHours: [at(10)] },
    [hourly(at(9), at(10)), raw(at(10), at(11)), hourly(at(11), at(12))],
  ],
  ['everything is read raw while nothing is rolled up', { dirtyHours: 'all' }, [raw(at(9), at(12))]],
  [
    'an hour whose raw events are gone is read from the roll-up although it is dirty',
    { dirtyHours: 'all', rawFromMs: at(9, 30) },
    [hourly(at(9), at(11)), raw(at(11), at(12))],
  ],
  [
    'a partial hour whose raw events are gone is read whole',
    { fromMs: at(9, 10), toMs: at(11, 50), rawFromMs: at(12) },
    [hourly(at(9), at(12))],
  ],
];

for (const [title, changes, expected] of cases)
  test(title, t => t.deepEqual(planRanges({ ...request, ...changes }), expected));

test('ranges ascend without gap or overlap, cover what is asked for, and touch no dirty hour that is retained', t => {
  const instant = fc.integer({ min: at(0), max: at(24) });
  const rules = fc.record({
    ends: fc.tuple(instant, instant).map(([left, right]) => [Math.min(left, right), Math.max(left, right)] as const),
    rawFromMs: fc.oneof(fc.constant(0), instant),
    dirtyHours: fc.oneof(fc.constant('all' as const), fc.array(fc.integer({ min: 0, max: 24 }).map(hour => at(hour)))),
    source: fc.constantFrom('auto', 'raw', 'hourly'),
  });
  fc.assert(
    fc.property(rules, ({ ends: [fromMs, toMs], rawFromMs, dirtyHours, source }) => {
      const ranges = planRanges({ fromMs, toMs, rawFromMs, dirtyHours, source });
      for (const [index, range] of ranges.entries()) {
        const next = ranges[index + 1];
        if (next !== undefined) {
          t.is(range.toMs, next.fromMs);
          t.not(range.source, next.source);
        }
        if (range.source === 'hourly') {
          t.is(range.fromMs % hourMs, 0);
          t.is(range.toMs % hourMs, 0);
          if (source !== 'auto') continue;
          for (let hour = range.fromMs; hour < range.toMs; hour += hourMs)
            t.false(hour - hourMs >= rawFromMs && (dirtyHours === 'all' || dirtyHours.includes(hour)));
        }
      }
      const [first, last] = [ranges[0], ranges.at(-1)];
      t.true((first?.fromMs ?? Number.NaN) <= fromMs && (last?.toMs ?? Number.NaN) >= toMs);
      if (first?.source === 'raw') t.is(first.fromMs, fromMs);
      if (last?.source === 'raw') t.is(last.toMs, toMs);
    }),
    { numRuns: 2000 },
  );
});
