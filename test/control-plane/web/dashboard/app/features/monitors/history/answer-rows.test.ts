import test from 'ava';
import {
  answerChanges,
  answerRows,
  answerSetsOf,
} from '#control-plane/web/dashboard/app/features/monitors/history/answer-rows.ts';

const at = (minute: number) => `2026-11-21T09:${String(minute).padStart(2, '0')}:00.000Z`;
const answer = (region: string, first: number, last: number, records: string[], changes: object = {}) => ({
  ...{ region, first_at: at(first), last_at: at(last), rcode: 'NOERROR', type: 'A', records, truncated: false },
  ...changes,
});
const shown = { fromMs: Date.parse(at(0)), toMs: Date.parse(at(50)) };
const data = [
  answer('eu', 0, 9, ['192.0.2.1']),
  answer('us', 0, 49, ['192.0.2.1']),
  answer('eu', 10, 19, ['192.0.2.2'], { truncated: true }),
  answer('eu', 30, 49, [], { rcode: 'NXDOMAIN' }),
];

test('sets have letters, those that were answered last first', t => {
  t.deepEqual(
    answerSetsOf(data).map(({ letter, color, text, regions, lastAt }) => [letter, color, text, regions, lastAt]),
    [
      ['A', 1, 'A 192.0.2.1', ['eu', 'us'], at(49)],
      ['B', 2, 'NXDOMAIN, no A record', ['eu'], at(49)],
      ['C', 3, 'A 192.0.2.2 and more', ['eu'], at(19)],
    ],
  );
});

test('an answer lasts until the next check, and what was not answered is a gap', t => {
  const [eu, us] = answerRows(data, shown, 60_000);
  const minutes = (ms: number) => (ms - shown.fromMs) / 60_000;
  t.deepEqual(
    eu?.found.map(({ from, to }) => [minutes(from), minutes(to)]),
    [
      [0, 10],
      [10, 20.5],
      [30, 50],
    ],
  );
  t.deepEqual([us?.region, us?.found.length], ['us', 1]);
});

test('changes are listed, the newest first, and none where the same set is back', t => {
  t.deepEqual(
    answerChanges([...data, answer('us', 50, 50, ['192.0.2.1'])]).map(({ at: when, region }) => [when, region]),
    [
      [at(30), 'eu'],
      [at(10), 'eu'],
    ],
  );
});

test('there are letters for as many sets as there are', t => {
  const many = Array.from({ length: 28 }, (_, index) => answer('eu', index, index, [`192.0.2.${index}`]));
  t.deepEqual(
    answerSetsOf(many)
      .map(({ letter }) => letter)
      .slice(25),
    ['Z', 'A2', 'B2'],
  );
});
