import test from 'ava';
import fc from 'fast-check';
import { diffAssignments } from '#control-plane/monitoring/assignments/diff.ts';

const versions = fc
  .array(fc.tuple(fc.constantFrom(...'abcdefgh'), fc.integer({ min: 1, max: 3 })))
  .map(entries => new Map(entries));

test('a difference applied to the current assignments gives the wanted ones, and nothing is sent twice', t => {
  fc.assert(
    fc.property(versions, versions, (current, wanted) => {
      const { put, drop } = diffAssignments(current, wanted);
      const after = new Map(current);
      for (const id of drop) after.delete(id);
      for (const id of put) after.set(id, wanted.get(id) ?? 0);
      t.deepEqual([...after].sort(), [...wanted].sort());
      t.true(put.every(id => current.get(id) !== wanted.get(id)));
      t.true(drop.every(id => current.has(id) && !wanted.has(id)));
    }),
  );
});

for (const [title, current, wanted, expected] of [
  ['a new monitor is sent', {}, { a: 1 }, { put: ['a'], drop: [] }],
  ['a new version is sent', { a: 1 }, { a: 2 }, { put: ['a'], drop: [] }],
  ['an older version is sent too', { a: 2 }, { a: 1 }, { put: ['a'], drop: [] }],
  ['an unwanted monitor is dropped', { a: 1 }, {}, { put: [], drop: ['a'] }],
  ['the same version is left alone', { a: 1 }, { a: 1 }, { put: [], drop: [] }],
] as const) {
  test(title, t => {
    t.deepEqual(diffAssignments(new Map(Object.entries(current)), new Map(Object.entries(wanted))), {
      put: [...expected.put],
      drop: [...expected.drop],
    });
  });
}
