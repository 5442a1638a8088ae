import test from 'ava';
import fc from 'fast-check';
import { editDistance, nearestName } from '#control-plane/platform/http/bodies/nearest-name.ts';

const distances: [from: string, to: string, edits: number][] = [
  ['', '', 0],
  ['', 'abc', 3],
  ['value', 'value', 0],
  ['vlaue', 'value', 1],
  ['valu', 'value', 1],
  ['valuee', 'value', 1],
  ['velue', 'value', 1],
  ['name', 'game', 1],
  ['ca', 'abc', 3],
  ['assertion', 'assertions', 1],
];
for (const [from, to, edits] of distances)
  test(`from "${from}" to "${to}" it takes ${edits} edits`, t => t.is(editDistance(from, to), edits));

const known = ['name', 'url', 'interval_seconds', 'regions', 'assertions', 'headers'];
const names: [misspelt: string, nearest: string | null][] = [
  ['assertion', 'assertions'],
  ['asserts', 'assertions'],
  ['interval', null],
  ['intervalSeconds', 'interval_seconds'],
  ['Name', 'name'],
  ['uri', 'url'],
  ['x', null],
  ['', null],
  ['__proto__', null],
  ['n'.repeat(10_000), null],
];
for (const [misspelt, nearest] of names)
  test(`the field nearest to "${misspelt.slice(0, 20)}" is ${nearest ?? 'none'}`, t =>
    t.is(nearestName(misspelt, known), nearest));

test('the distance is symmetric, zero only for equal texts, and at most the longer length', t => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (from, to) => {
      const edits = editDistance(from, to);
      t.is(edits, editDistance(to, from));
      t.is(edits === 0, from === to);
      t.true(edits <= Math.max(from.length, to.length));
      t.true(edits >= Math.abs(from.length - to.length));
    }),
  );
});

test('one edit of a long enough field name is always found again', t => {
  fc.assert(
    fc.property(fc.constantFrom('interval_seconds', 'assertions', 'headers'), fc.nat(), (name, position) => {
      const index = position % name.length;
      t.is(nearestName(name.slice(0, index) + name.slice(index + 1), known), name);
    }),
  );
});
