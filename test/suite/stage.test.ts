import test from 'ava';
import { readHung, readSummary, settle } from '#test/suite/stage.ts';

const output = `
  ✔ shared › wait › one (1s)
  ✘ [fail]: shared › wait › two
  ✘ Timed out while running tests

  2 tests were pending in test/shared/hangs.test.ts

  ◌ shared › hangs › three
  ◌ shared › hangs › four

  Failed to exit when running test/shared/open.test.ts

  ─

  1 test failed
  2 tests remained pending after a timeout
`;

test('files that hang are named, with the number of their pending tests', t => {
  t.deepEqual(
    [...readHung(output)],
    [
      ['test/shared/open.test.ts', 0],
      ['test/shared/hangs.test.ts', 2],
    ],
  );
  t.is(readHung('  3 tests passed\n').size, 0);
  t.deepEqual(readSummary(output), { passed: 1, failed: 1 });
});

const clean = { passed: 10, failed: 0, hung: new Map<string, number>() };
const hung = { passed: 8, failed: 1, hung: new Map([['a.test.ts', 2]]), report: 'it hung' };

test('a file that hung and passes when it is run again is remarked upon, and fails nothing', t => {
  const settled = settle(hung, { ...clean, passed: 5 });
  t.deepEqual(settled, { passed: 10, failed: 0, remarks: ['HUNG and was run again: a.test.ts'] });
});

test('a file that fails or hangs again fails the run, and so do the failures of other files', t => {
  t.like(settle(hung, { ...clean, failed: 1, report: 'again' }), { failed: 1, report: 'again' });
  t.like(settle(hung, { ...hung, report: 'again' }), { failed: 1, report: 'again' });
  t.like(settle({ ...hung, failed: 3, report: 'two others' }, clean), { failed: 2, report: 'two others' });
});
