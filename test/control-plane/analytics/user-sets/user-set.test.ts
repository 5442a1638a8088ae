import test from 'ava';
import fc from 'fast-check';
import { actorOf } from '#control-plane/analytics/events/actor.ts';
import {
  addUser,
  decodeSet,
  emptySet,
  encodeSet,
  mergedExactMax,
  mergeSets,
  sizeOf,
  storedExactMax,
  type UserSet,
} from '#control-plane/analytics/user-sets/user-set.ts';

const user = (number: number) => actorOf(`user ${number}`, null) as number;
const setOf = (users: Iterable<number>, exactMax = storedExactMax): UserSet => {
  let set = emptySet();
  for (const id of users) set = addUser(set, id, exactMax);
  return set;
};

test('an exact set turns into a sketch with the first user above its bound', t => {
  const users = Array.from({ length: 6 }, (_, index) => user(index));
  t.is(setOf(users.slice(0, 5), 5).kind, 'exact');
  t.is(setOf([...users.slice(0, 5), ...users.slice(0, 5)], 5).kind, 'exact', 'the same users again are no more');
  t.is(setOf(users, 5).kind, 'sketch');
  t.true(mergedExactMax > storedExactMax);
});

test('merging is the same in any order, done once or twice, whatever is exact and whatever a sketch', t => {
  const members = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 });
  fc.assert(
    fc.property(
      fc.array(members, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 10, max: 300 }),
      (groups, exactMax) => {
        const users = groups.map(group => group.map(user));
        const sets = () => users.map(list => setOf(list, exactMax));
        const together = encodeSet(setOf(users.flat(), exactMax));
        const merge = (list: readonly UserSet[]) =>
          list.reduce((merged, set) => mergeSets(merged, set, exactMax), emptySet());
        const forwards = merge(sets());
        const backwards = merge(sets().reverse());
        t.deepEqual(encodeSet(forwards), encodeSet(backwards));
        t.deepEqual(encodeSet(mergeSets(forwards, setOf(users[0] ?? [], exactMax), exactMax)), encodeSet(backwards));
        if (new Set(users.flat()).size <= exactMax) t.deepEqual(encodeSet(forwards), together);
      },
    ),
    { numRuns: 300 },
  );
});

test('merging leaves the other set as it was', t => {
  for (const exactMax of [2, 100]) {
    const other = setOf([1, 2, 3].map(user), exactMax);
    const before = encodeSet(other);
    mergeSets(setOf([4, 5, 6, 7].map(user), exactMax), other, exactMax);
    t.deepEqual(encodeSet(other), before);
  }
});

test('a set comes back from its bytes as it was, and none is larger than a sketch', t => {
  for (const count of [0, 1, storedExactMax, storedExactMax + 1, 20_000]) {
    const set = setOf(Array.from({ length: count }, (_, index) => user(index)));
    const bytes = encodeSet(set);
    t.true(bytes.length <= 16_385, `${count}`);
    t.is(set.kind, count > storedExactMax ? 'sketch' : 'exact');
    t.deepEqual(encodeSet(decodeSet(bytes)), bytes);
    t.is(sizeOf(decodeSet(bytes)), sizeOf(set));
    if (set.kind === 'exact') t.is(sizeOf(set), count);
  }
});

test('equal exact sets have equal bytes, in whatever order their users came', t => {
  const users = fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 53 - 1 }), { maxLength: 50 });
  fc.assert(
    fc.property(users, ids => {
      const bytes = encodeSet(setOf(ids));
      t.deepEqual(encodeSet(setOf(ids.toReversed())), bytes);
      t.deepEqual(decodeSet(bytes), { kind: 'exact', users: new Set(ids.toSorted((left, right) => left - right)) });
    }),
  );
});
