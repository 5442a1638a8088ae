import test from 'ava';
import {
  filesToRepeat,
  readRun,
  readSummary,
  readTroubles,
  settle,
  type TestTally,
  type Trouble,
} from '#test/suite/stage.ts';

const output = `
  ✔ shared › wait › one (1s)
  ✘ [fail]: shared › wait › two › again
  ✘ Timed out while running tests

  2 tests were pending in test/shared/hangs.test.ts

  ◌ shared › hangs › three
  ◌ shared › hangs › four

  Failed to exit when running test/shared/open.test.ts

  ─

  ✘ [fail]: shared › wait › two › again

  1 test failed
  2 tests remained pending after a timeout
`;

test('files that hang are named with their pending tests, those that fail with the number of failed ones', t => {
  t.deepEqual(
    [...readTroubles(output)],
    [
      ['test/shared/open.test.ts', { hung: true, pending: 0, failed: 0 }],
      ['test/shared/hangs.test.ts', { hung: true, pending: 2, failed: 0 }],
      ['test/shared/wait.test.ts', { hung: false, pending: 0, failed: 1 }],
    ],
  );
  t.is(readTroubles('  3 tests passed\n').size, 0);
  t.deepEqual(readSummary(output), { passed: 1, failed: 1 });
});

test('a failed test of a group is named by its own file', t => {
  const title = '3 › shared › wait › two › again';
  t.deepEqual([...readTroubles(`  ✘ [fail]: ${title} Timed out\n`).keys()], ['test/shared/wait.test.ts']);
});

const tally = (passed: number, failed: number, troubles: [string, Trouble][] = []): TestTally => ({
  passed,
  failed,
  troubles: new Map(troubles),
  ...(failed > 0 ? { report: `${failed} of ${passed + failed}` } : {}),
});
const hung = tally(8, 1, [['a.test.ts', { hung: true, pending: 2, failed: 0 }]]);
const failed = tally(8, 2, [['b.test.ts', { hung: false, pending: 0, failed: 2 }]]);

test('a file that hung or failed and passes when it is run again is remarked upon, and fails nothing', t => {
  t.deepEqual(settle(hung, ['a.test.ts'], tally(5, 0)), {
    passed: 10,
    failed: 0,
    remarks: ['HUNG and was run again: a.test.ts'],
  });
  t.deepEqual(settle(failed, ['b.test.ts'], tally(3, 0)), {
    passed: 10,
    failed: 0,
    remarks: ['FAILED and was run again: b.test.ts'],
  });
});

test('a file that fails or hangs again fails the run, and so do the failures of other files', t => {
  t.like(settle(hung, ['a.test.ts'], tally(5, 1)), { failed: 1, report: '1 of 6' });
  t.like(settle(failed, ['b.test.ts'], tally(2, 1)), { passed: 9, failed: 1, report: '1 of 3' });
  t.like(settle({ ...hung, failed: 3, report: 'two others' }, ['a.test.ts'], tally(5, 0)), {
    failed: 2,
    report: 'two others',
  });
});

test('a run that was ended before its summary fails, also if what failed until then passes when it is run again', t => {
  const ended = output.slice(0, output.indexOf('  ✘ Timed out'));
  const first = readRun(1, ended);
  t.is(settle(first, filesToRepeat(first), tally(3, 0)).failed, 1);
  t.is(readRun(1, '').failed, 1);
  t.is(readRun(0, '  3 tests passed\n').failed, 0);
  t.is(readRun(1, output).failed, 3, 'one test and two files');
});

test('many files that fail are no accident, and are not run again', t => {
  const names = Array.from('abcdefghijk');
  const troubles = names.map((name): [string, Trouble] => [name, { hung: false, pending: 0, failed: 1 }]);
  t.deepEqual(filesToRepeat(tally(0, 11, troubles)), []);
  t.deepEqual(filesToRepeat(tally(0, 10, troubles.slice(1))), names.slice(1));
  t.deepEqual(filesToRepeat(tally(0, 12, [...troubles, ['z', { hung: true, pending: 1, failed: 0 }]])), ['z']);
});
