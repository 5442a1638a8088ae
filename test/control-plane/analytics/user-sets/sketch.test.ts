import test from 'ava';
import fc from 'fast-check';
import { actorOf } from '#control-plane/analytics/events/actor.ts';
import {
  addToSketch,
  emptySketch,
  estimate,
  mergeSketches,
  registers,
  type Sketch,
  standardError,
} from '#control-plane/analytics/user-sets/sketch.ts';

const user = (number: number) => actorOf(`user ${number}`, null) as number;
const sketchOf = (users: Iterable<number>): Sketch => {
  const sketch = emptySketch();
  for (const id of users) addToSketch(sketch, id);
  return sketch;
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

const hashes: [title: string, hash: number, register: number, rank: number][] = [
  ['all zeros: the first register, and as many leading zeros as there are bits', 0, 0, 40],
  ['only the lowest bit', 1, 0, 39],
  ['the highest bit below the index', 2 ** 38, 0, 1],
  ['the lowest bit of the high word', 2 ** 32, 0, 7],
  ['the highest bit of the low word', 2 ** 31, 0, 8],
  ['the second register', 2 ** 39, 1, 40],
  ['all ones', 2 ** 53 - 1, registers - 1, 1],
];
for (const [title, hash, register, rank] of hashes)
  test(`a hash goes to its register with its rank: ${title}`, t => {
    const sketch = sketchOf([hash]);
    t.is(sketch[register], rank);
    t.is(
      sketch.findIndex(value => value > 0),
      register,
    );
    t.is(
      sketch.reduce((sum, value) => sum + value, 0),
      rank,
    );
  });

test('a merged sketch is that of all users, and the other is unchanged', t => {
  const users = fc.array(fc.nat({ max: 2000 }).map(user), { maxLength: 200 });
  fc.assert(
    fc.property(users, users, (left, right) => {
      const [merged, other] = [sketchOf(left), sketchOf(right)];
      mergeSketches(merged, other);
      t.deepEqual(merged, sketchOf([...left, ...right]));
      t.deepEqual(other, sketchOf(right));
    }),
    { numRuns: 50 },
  );
});
