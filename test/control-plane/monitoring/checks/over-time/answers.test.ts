import test from 'ava';
import {
  type AnswerRun,
  joinRuns,
  setRun,
  answerSets as setsOf,
} from '#control-plane/monitoring/checks/over-time/answers.ts';

const answerSets = (runs: readonly AnswerRun[], type: string, max: number) =>
  setsOf(joinRuns(runs.map(run => setRun(run, type))), max);
const run = (at: number, data: string[], changes: object = {}): AnswerRun => ({
  region: 'eu',
  firstAt: at,
  lastAt: at,
  dns: { rcode: 'NOERROR', truncated: false, answers: data.map(each => ({ type: 'A', data: each })), ...changes },
});

test('regions have sets of their own', t => {
  const { sets } = answerSets([run(1, ['a']), { ...run(2, ['b']), region: 'us' }, run(3, ['a'])], 'A', 9);
  t.deepEqual(
    sets.map(({ region, first_at, last_at }) => [region, first_at, last_at]),
    [
      ['eu', 1, 3],
      ['us', 2, 2],
    ],
  );
});

test('no record is a set, too, and an alias alone is none', t => {
  const alias = { answers: [{ type: 'CNAME', data: 'b.example' }] };
  const { sets } = answerSets([run(1, [], { rcode: 'NXDOMAIN' }), run(2, [], alias)], 'A', 9);
  t.deepEqual(
    sets.map(({ rcode, type, records }) => [rcode, type, records]),
    [
      ['NXDOMAIN', 'A', []],
      ['NOERROR', 'A', []],
    ],
  );
});

test('what was answered to another query before is shown as it was', t => {
  const { sets } = answerSets([run(1, [], { answers: [{ type: 'MX', data: '10 mx.example' }] })], 'A', 9);
  t.like(sets[0], { type: 'MX', records: ['10 mx.example'] });
});

test('the newest sets are shown, and since when they are all', t => {
  const { sets, completeFromMs } = answerSets([run(1, ['a']), run(2, ['b']), run(3, ['c'])], 'A', 2);
  t.deepEqual(
    sets.map(({ records }) => records[0]),
    ['b', 'c'],
  );
  t.is(completeFromMs, 2);
});
