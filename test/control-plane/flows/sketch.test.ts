import test from 'ava';
import fc from 'fast-check';
import { actorOf } from '#control-plane/events/actor.ts';
import {
  addUser,
  type Cell,
  decodeCell,
  emptyCell,
  encodeCell,
  sizeOf,
  storedExactMax,
  unite,
} from '#control-plane/flows/cell.ts';
import { addToSketch, emptySketch, estimate, standardError } from '#control-plane/flows/sketch.ts';

const user = (number: number) => actorOf(`user ${number}`, null) as number;
const cellOf = (users: Iterable<number>, exactMax = storedExactMax): Cell => {
  let cell = emptyCell();
  for (const one of users) cell = addUser(cell, one, exactMax);
  return cell;
};

test('the estimate stays within four standard errors from one user to a million', t => {
  t.is(standardError.toFixed(4), '0.0081');
  const sketch = emptySketch();
  t.is(estimate(sketch), 0);
  let next = 1;
  const errors: number[] = [];
  for (let count = 1; count <= 1_000_000; count++) {
    addToSketch(sketch, user(count));
    if (count < next) continue;
    const error = (estimate(sketch) - count) / count;
    errors.push(error);
    t.true(Math.abs(error) <= Math.max(4 * standardError, 1 / count), `${count}: ${error}`);
    next = Math.ceil(count * 1.5);
  }
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  t.true(Math.abs(mean) < 2 * standardError, `no bias: ${mean}`);
});

test('uniting is the same in any order, done once or twice, whatever is exact and whatever a sketch', t => {
  const members = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 });
  fc.assert(
    fc.property(
      fc.array(members, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 10, max: 300 }),
      (groups, exactMax) => {
        const sets = groups.map(group => group.map(user));
        const cells = () => sets.map(set => cellOf(set, exactMax));
        const together = encodeCell(cellOf(sets.flat(), exactMax));
        const forwards = cells().reduce((all, one) => unite(all, one, exactMax), emptyCell());
        const backwards = cells()
          .reverse()
          .reduce((all, one) => unite(all, one, exactMax), emptyCell());
        t.deepEqual(encodeCell(forwards), encodeCell(backwards));
        t.deepEqual(encodeCell(unite(forwards, cellOf(sets[0] ?? [], exactMax), exactMax)), encodeCell(backwards));
        if (new Set(sets.flat()).size <= exactMax) t.deepEqual(encodeCell(forwards), together);
      },
    ),
    { numRuns: 300 },
  );
});

test('a cell comes back from its bytes as it was, and none is larger than a sketch', t => {
  for (const count of [0, 1, storedExactMax, storedExactMax + 1, 20_000]) {
    const cell = cellOf(Array.from({ length: count }, (_, place) => user(place)));
    const bytes = encodeCell(cell);
    t.true(bytes.length <= 16_385, `${count}`);
    t.is(cell.kind, count > storedExactMax ? 'sketch' : 'exact');
    t.deepEqual(encodeCell(decodeCell(bytes)), bytes);
    t.is(sizeOf(decodeCell(bytes)), sizeOf(cell));
    if (cell.kind === 'exact') t.is(sizeOf(cell), count);
  }
});
