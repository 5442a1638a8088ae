import test from 'ava';
import fc from 'fast-check';
import {
  type ClockRow,
  type Clocks,
  historyOf,
  noHistory,
  putClockRow,
  readClocks,
} from '#control-plane/monitoring/alerts/clocks.ts';
import { verdicts } from '#shared/vocabulary.ts';
import { historyFrom } from '#test/support/verdict-history.ts';

/** A clock as `seconds from start`; `-` if it has not counted. */
const shown = ({ down, good, degraded, up }: Clocks) =>
  [down, good, degraded, up].map(({ ms, from }) => (from === null ? '-' : `${ms / 1000} from ${from / 1000}`));
const rowsOf = (text: string): ClockRow[] => historyFrom(text).map(({ verdict, since }) => ({ verdict, since }));

const readings: readonly [history: string, at: number, down: string, good: string, degraded: string, up: string][] = [
  ['up 0', 10, '-', '10 from 0', '-', '10 from 0'],
  ['down 0', 10, '10 from 0', '-', '-', '-'],
  ['degraded 0', 10, '-', '10 from 0', '10 from 0', '-'],
  ['up 0, down 10', 15, '5 from 10', '-', '-', '-'],
  ['down 0, up 10', 15, '-', '5 from 10', '-', '5 from 10'],
  ['up 0, degraded 10', 15, '-', '15 from 0', '5 from 10', '-'],
  ['degraded 0, up 10', 15, '-', '15 from 0', '-', '5 from 10'],
  ['down 0, undetermined 10', 100, '10 from 0', '-', '-', '-'],
  ['down 0, undetermined 10, down 30', 35, '15 from 0', '-', '-', '-'],
  ['up 0, undetermined 10, degraded 30', 35, '-', '15 from 0', '5 from 30', '-'],
  ['down 0, paused 10', 20, '-', '-', '-', '-'],
  ['up 0, paused 10, pending 20, up 30', 31, '-', '1 from 30', '-', '1 from 30'],
  ['degraded 0, down 10, degraded 20', 25, '-', '5 from 20', '15 from 0', '-'],
  ['down 0, deleted 10', 20, '10 from 0', '-', '-', '-'],
];
for (const [history, at, ...clocks] of readings)
  test(`after “${history}”, at ${at}, down, good, degraded and up have counted ${clocks.join(', ')}`, t => {
    t.deepEqual(shown(readClocks(historyOf(rowsOf(history), null), at * 1000)), clocks);
  });

test('the degraded clock counts from when the last alert of kind down opened', t => {
  const rows = rowsOf('degraded 0, down 10, degraded 20');
  t.is(shown(readClocks(historyOf(rows, 12_000), 25_000))[2], '5 from 20');
  t.is(shown(readClocks(historyOf(rowsOf('degraded 0'), 10_000), 25_000))[2], '15 from 10');
  t.is(shown(readClocks(historyOf(rowsOf('degraded 0'), 30_000), 25_000))[2], '-');
});

test('a row replaces those that begin with or after it, and one that changes nothing is none', t => {
  const rows = (text: string) =>
    historyOf(rowsOf(text), null).rows.map(({ verdict, since }) => `${verdict} ${since / 1000}`);
  t.deepEqual(rows('up 0, down 10, up 20, down 5'), ['up 0', 'down 5']);
  t.deepEqual(rows('up 0, down 10, up 10'), ['up 0']);
  t.deepEqual(rows('up 0, up 10, down 20, down 30'), ['up 0', 'down 20']);
  t.deepEqual(rows('up 0, down 10, paused 20'), ['paused 20'], 'votes are dropped, and what they said with them');
});

test('the starts of outages are counted for flapping, without those that were corrected', t => {
  const downs = (text: string) => historyOf(rowsOf(text), null).downs.map(since => since / 1000);
  t.deepEqual(downs('down 0, up 10, down 20, undetermined 30, down 40'), [0, 20, 40]);
  t.deepEqual(downs('down 0, up 10, down 20, up 5'), [0]);
  t.deepEqual(downs('down 0, up 10, down 20, paused 30, down 40'), [0, 20, 40], 'a pause ends no flapping');
  const many = Array.from({ length: 120 }, (_, index) => `down ${index * 20}, up ${index * 20 + 10}`).join(', ');
  t.deepEqual([downs(many).length, downs(many)[0]], [50, 70 * 20], 'the last fifty');
});

const histories = fc
  .array(fc.record({ verdict: fc.constantFrom(...verdicts), gap: fc.integer({ min: 1, max: 50 }) }), {
    minLength: 1,
    maxLength: 300,
    size: 'max',
  })
  .map(steps => {
    let since = 0;
    return steps.map(({ verdict, gap }) => {
      since += gap;
      return { verdict, since };
    });
  });

/** The clocks by looking back from the end, without anything folded. */
function counted(rows: readonly ClockRow[], atMs: number, counting: readonly string[], clearing: readonly string[]) {
  let ms = 0;
  let from: number | null = null;
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index];
    if (row === undefined || [...clearing, 'pending', 'paused'].includes(row.verdict)) break;
    if (!counting.includes(row.verdict)) continue;
    ms += (rows[index + 1]?.since ?? atMs) - row.since;
    from = row.since;
  }
  return { ms, from };
}

test('however long a history is, its clocks read what counting all of it gives, and little of it is kept', t => {
  fc.assert(
    fc.property(histories, rows => {
      const history = rows.reduce(putClockRow, noHistory);
      const distinct = rows.filter((row, index) => row.verdict !== rows[index - 1]?.verdict);
      const at = (rows.at(-1)?.since ?? 0) + 7;
      const good = ['up', 'degraded'];
      const { down, good: well, up, degraded } = readClocks(JSON.parse(JSON.stringify(history)), at);
      t.deepEqual(down, counted(distinct, at, ['down'], good));
      t.deepEqual(well, counted(distinct, at, good, ['down']));
      t.deepEqual(up, counted(distinct, at, ['up'], ['down', 'degraded']));
      t.deepEqual(degraded, counted(distinct, at, ['degraded'], ['up']));
      t.true(history.rows.length <= 64 && history.downs.length <= 50);
    }),
    { numRuns: 60 },
  );
});
