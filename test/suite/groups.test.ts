import test from 'ava';
import fc from 'fast-check';
import { top } from '../repository/sources.ts';
import { collect, declaredBy } from './declared.ts';
import { inGroups, namedFiles } from './groups.ts';
import { storageFiles } from './storage-files.ts';

test('groups hold every file once, in order, at most seventy-two, and fewer the later they run', t => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 900 }), fc.boolean(), (count, isLast) => {
      const files = Array.from({ length: count }, (_, index) => `test/${index}.test.ts`);
      const groups = inGroups(files, isLast);
      t.deepEqual(groups.flat(), files);
      const sizes = groups.map(group => group.length);
      t.true(Math.max(...sizes) <= 72);
      t.deepEqual(
        sizes,
        sizes.toSorted((left, right) => left - right),
      );
      t.true(sizes.length >= Math.min(3, count) && sizes.length <= 4 + count / 12);
    }),
    { numRuns: 200 },
  );
});

test('files are named alone or by folder; patterns, options and line numbers are left to AVA', t => {
  const names = ['costs', 'end-in-time', 'groups', 'outcome', 'thrown-outside'];
  const here = names.map(name => `test/suite/${name}.test.ts`);
  t.deepEqual(namedFiles(top, ['test/suite']), here);
  t.deepEqual(namedFiles(top, ['./test/suite/outcome.test.ts', 'test/suite/']), here);
  t.true((namedFiles(top, []) ?? []).length > 300);
  for (const name of ['--match=a', 'test/**/a*.test.ts', 'test/suite/outcome.test.ts:12', 'test/nowhere'])
    t.is(namedFiles(top, [name]), null, name);
});

test('folders that were moved have not left the second edition without tests', t => {
  const files = storageFiles(top);
  t.true(files.length > 50, String(files.length));
  t.true(files.includes('test/control-plane/platform/db/listen.test.ts'), 'imports its database by a relative path');
  t.false(files.includes('test/control-plane/monitoring/verdicts/vote.test.ts'), 'uses no database');
});

test('what a file of a group declares is kept in order, and what AVA alone can do is refused', t => {
  const stand = collect('a file');
  stand('one', () => {});
  stand.serial('two', () => {});
  stand.after.always(() => {});
  const { tests, before, after } = declaredBy('a file');
  t.deepEqual(
    tests.map(({ title, serial }) => [title, serial]),
    [
      ['one', false],
      ['two', true],
    ],
  );
  t.deepEqual([before.length, after.length], [0, 1]);
  t.throws(() => stand.failing('three', () => {}), { instanceOf: TypeError });
  t.deepEqual(declaredBy('a file that declares nothing').tests, []);
});
