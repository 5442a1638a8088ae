import test from 'ava';
import fc from 'fast-check';
import { actorOf } from '#control-plane/analytics/events/actor.ts';
import {
  compareKeys,
  type HourlyStep,
  type HourlyStepKey,
  keyOf,
  mergeRecount,
} from '#control-plane/analytics/flows/roll-up/hourly-step.ts';
import {
  addUser,
  emptySet,
  encodeSet,
  storedExactMax,
  type UserSet,
} from '#control-plane/analytics/user-sets/user-set.ts';

const user = (number: number) => actorOf(`user ${number}`, null) as number;
const exact = (...users: number[]): UserSet => ({ kind: 'exact', users: new Set(users.map(user)) });
const sketchOf = (users: Iterable<number>): UserSet => {
  let set = emptySet();
  for (const number of users) set = addUser(set, user(number), 0);
  return set;
};
const many = Array.from({ length: storedExactMax }, (_, index) => index);
const stepOf = (users: UserSet, hour = 1): HourlyStep => ({ hour, releaseId: '', step: 1, users });
const mapOf = (...steps: HourlyStep[]) => new Map(steps.map(step => [keyOf(step), step]));
const none = () => [];

type Case = [
  title: string,
  stored: UserSet | null,
  recounted: UserSet | null,
  replaced: number[],
  expected: UserSet | 'unchanged' | 'dirty',
];
const cases: Case[] = [
  ['a new step is stored', null, exact(1), [], exact(1)],
  ['users are added', exact(1), exact(2), [], exact(1, 2)],
  ['users that are there already change nothing', exact(1, 2), exact(2), [], 'unchanged'],
  ['a replaced user who no longer reaches the step is taken out', exact(1, 2), null, [2], exact(1)],
  ['a replaced user who still reaches it stays', exact(1, 2), exact(2), [2], 'unchanged'],
  ['the last user taken out leaves an empty set', exact(2), null, [2], exact()],
  ['nobody is replaced: a stored step without a recounted one stays', exact(1), null, [], 'unchanged'],
  ['an exact set that grows too large becomes a sketch', exact(...many), exact(-1), [], sketchOf([...many, -1])],
  ['users are added to a sketch', sketchOf([1]), exact(77), [], sketchOf([1, 77])],
  ['a sketch that has the users is unchanged', sketchOf([1, 77]), exact(77), [], 'unchanged'],
  ['sketches are merged', sketchOf([1]), sketchOf([77]), [], sketchOf([1, 77])],
  ['nobody can be taken out of a sketch: its hour is recomputed', sketchOf([1]), exact(2), [2], 'dirty'],
];

for (const [title, stored, recounted, replaced, expected] of cases)
  test(title, t => {
    const steps = (users: UserSet | null) => (users === null ? mapOf() : mapOf(stepOf(users)));
    const { changed, dirtyHours } = mergeRecount(steps(stored), steps(recounted), () => replaced.map(user));
    t.deepEqual([...dirtyHours], expected === 'dirty' ? [1] : []);
    const sets = typeof expected === 'string' ? [] : [encodeSet(expected)];
    t.deepEqual(
      changed.map(step => encodeSet(step.users)),
      sets,
    );
  });

test('who is replaced is decided hour by hour', t => {
  const stored = mapOf(stepOf(exact(1, 2), 1), stepOf(exact(1, 2), 2));
  const { changed } = mergeRecount(stored, mapOf(), hour => (hour === 2 ? [user(2)] : []));
  t.deepEqual(changed, [stepOf(exact(1), 2)]);
});

test('a recount leaves the stored sets as they were', t => {
  const stored = [stepOf(exact(1, 2)), stepOf(sketchOf([1, 2]), 2)];
  const before = stored.map(step => encodeSet(step.users));
  mergeRecount(mapOf(...stored), mapOf(stepOf(exact(3)), stepOf(exact(4), 2)), none);
  t.deepEqual(
    stored.map(step => encodeSet(step.users)),
    before,
  );
});

test('steps are ordered by hour, release and step, and equal keys are one step', t => {
  const key: fc.Arbitrary<HourlyStepKey> = fc.record({
    hour: fc.nat({ max: 2 }),
    releaseId: fc.constantFrom('', 'rel_a', 'rel_b'),
    step: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(key, key, key, (left, middle, right) => {
      t.is(Math.sign(compareKeys(left, right)), -Math.sign(compareKeys(right, left)) + 0);
      t.is(compareKeys(left, right) === 0, keyOf(left) === keyOf(right));
      if (compareKeys(left, middle) <= 0 && compareKeys(middle, right) <= 0) t.true(compareKeys(left, right) <= 0);
    }),
  );
  const sorted = [
    { hour: 1, releaseId: '', step: 2 },
    { hour: 1, releaseId: 'rel_a', step: 1 },
    { hour: 2, releaseId: '', step: 1 },
  ];
  t.deepEqual(sorted.toReversed().sort(compareKeys), sorted);
});
