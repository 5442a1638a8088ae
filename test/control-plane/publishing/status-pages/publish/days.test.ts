import test from 'ava';
import fc from 'fast-check';
import { shownStatus, worstOf } from '#control-plane/monitoring/components/status.ts';
import { noSpans, type Row, spansOf } from '#control-plane/monitoring/verdicts/spans.ts';
import {
  calendarOf,
  daysOf,
  levelOf,
  mergeTimelines,
  nextMidnight,
} from '#control-plane/publishing/status-pages/publish/days.ts';
import type { Verdict } from '#shared/vocabulary.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const hourMs = 3_600_000;
const at = (text: string) => Date.parse(text);

test('days are those of the page’s time zone, also when clocks change', t => {
  const now = at('2026-03-30T10:00:00Z');
  const { dates, bounds } = calendarOf('Europe/Berlin', 3, now);
  t.deepEqual(dates, ['2026-03-28', '2026-03-29', '2026-03-30']);
  t.deepEqual(bounds, [at('2026-03-27T23:00:00Z'), at('2026-03-28T23:00:00Z'), at('2026-03-29T22:00:00Z'), now]);
  t.is(nextMidnight('Europe/Berlin', now), at('2026-03-30T22:00:00Z'));
  // A day that begins at one o'clock, since clocks jump over midnight.
  t.is(calendarOf('Africa/Cairo', 1, at('2026-04-24T12:00:00Z')).bounds[0], at('2026-04-23T22:00:00Z'));
});

test('a day says the worst of it, and nothing where nothing was measured', t => {
  t.is(levelOf(noSpans), 'none');
  t.is(levelOf({ ...noSpans, undetermined: 5, paused: 5 }), 'none');
  t.is(levelOf({ ...noSpans, up: 1 }), 'up');
  t.is(levelOf({ ...noSpans, up: hourMs, degraded: 1 }), 'degraded');
  t.is(levelOf({ ...noSpans, up: 2 * hourMs, degraded: 5, down: 1 }), 'partial');
  t.is(levelOf({ ...noSpans, up: 23 * hourMs, down: hourMs }), 'down');
  t.is(levelOf({ ...noSpans, up: 10, down: 11 }), 'down');
});

test('uptime of several monitors: down when any is, known when any knows', t => {
  const up = { since: 0, verdict: 'up' } as const;
  const merged = mergeTimelines([
    [up, { since: 10, verdict: 'down' }, { since: 20, verdict: 'up' }],
    [
      { since: 5, verdict: 'undetermined' },
      { since: 15, verdict: 'degraded' },
    ],
  ]);
  t.deepEqual(merged, [
    { since: 0, verdict: 'up' },
    { since: 10, verdict: 'down' },
    { since: 20, verdict: 'degraded' },
  ]);
  t.deepEqual(mergeTimelines([[{ since: 3, verdict: 'pending' }], [{ since: 4, verdict: 'paused' }]]), [
    { since: 3, verdict: 'undetermined' },
    { since: 4, verdict: 'paused' },
  ]);
});

const verdicts: Verdict[] = ['up', 'degraded', 'down', 'undetermined', 'paused', 'pending', 'deleted'];
const timeline = fc
  .uniqueArray(fc.record({ since: fc.integer({ min: 0, max: 500 }), verdict: fc.constantFrom(...verdicts) }), {
    selector: row => row.since,
    maxLength: 12,
  })
  .map(rows => rows.sort((left, right) => left.since - right.since));

test('merged downtime is the union of all downtime, at each instant', t => {
  fc.assert(
    fc.property(fc.array(timeline, { minLength: 1, maxLength: 4 }), timelines => {
      const merged = mergeTimelines(timelines);
      const verdictAt = (rows: readonly Row[], instant: number) => rows.findLast(row => row.since <= instant)?.verdict;
      for (let instant = 0; instant < 510; instant += 3) {
        const known = timelines.map(rows => verdictAt(rows, instant));
        t.is(verdictAt(merged, instant) === 'down', known.includes('down'));
        const measured = known.some(verdict => verdict === 'up' || verdict === 'degraded' || verdict === 'down');
        t.is(['up', 'degraded', 'down'].includes(verdictAt(merged, instant) ?? ''), measured);
      }
    }),
    { numRuns: 200 },
  );
});

test('the timelines of 5,000 monitors are merged in time that grows with their rows', async t => {
  const shifts: Verdict[] = ['up', 'degraded', 'down'];
  const timelines = Array.from({ length: 5000 }, (_, monitor) =>
    Array.from(
      { length: 20 },
      (_, index): Row => ({
        since: monitor + index * 5000,
        verdict: shifts[index % 3] ?? 'up',
      }),
    ),
  );
  const ms = await leastThreadMs(3000, () =>
    t.deepEqual(mergeTimelines(timelines).slice(0, 3), [
      { since: 0, verdict: 'up' },
      { since: 5000, verdict: 'degraded' },
      { since: 10_000, verdict: 'down' },
    ]),
  );
  t.true(ms < 3000, `${ms} ms; 12 s when each row looked at all monitors`);
});

test('all days together hold what the whole range holds', t => {
  fc.assert(
    fc.property(timeline, rows => {
      const bounds = [0, 100, 230, 300, 520];
      const { days, uptime } = daysOf(rows, { dates: ['a', 'b', 'c', 'd'], bounds });
      const whole = spansOf(rows, 0, 520);
      t.is(
        days.reduce((sum, day) => sum + day.downMs, 0),
        whole.down,
      );
      const observed = whole.up + whole.degraded + whole.down;
      t.is(uptime, observed === 0 ? null : (whole.up + whole.degraded) / observed);
    }),
    { numRuns: 200 },
  );
});

test('the shown status is the worst of what is set, open incidents and monitors; no data is not up', t => {
  t.is(worstOf([]), 'operational');
  t.is(shownStatus('operational', [], []), 'operational');
  t.is(shownStatus('operational', [], ['up', 'undetermined']), 'unknown');
  t.is(shownStatus('operational', [], ['pending']), 'unknown');
  t.is(shownStatus('operational', [], ['paused']), 'unknown');
  t.is(shownStatus('operational', [], ['up', 'degraded']), 'degraded_performance');
  t.is(shownStatus('under_maintenance', [], ['undetermined']), 'under_maintenance');
  t.is(shownStatus('operational', ['none', 'partial'], ['up']), 'partial_outage');
  t.is(shownStatus('partial_outage', ['degraded'], ['down']), 'major_outage');
});
