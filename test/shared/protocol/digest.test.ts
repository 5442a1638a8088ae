import test from 'ava';
import fc from 'fast-check';
import { AssignmentDigest } from '#shared/protocol/digest.ts';

type Member = readonly [id: string, version: number];

function digestOf(members: readonly Member[]): string {
  const digest = new AssignmentDigest();
  for (const [id, version] of members) digest.toggle(id, version);
  return digest.toString();
}

const members = fc.uniqueArray(fc.tuple(fc.string({ maxLength: 8 }), fc.integer({ min: 1, max: 1000 })), {
  maxLength: 20,
  selector: ([id]) => id,
});
const empty = '0000000000000000';

test('the digest of the empty set is sixteen zeros', t => {
  t.is(digestOf([]), empty);
});

test('the digest is part of the protocol: these values never change', t => {
  t.is(digestOf([['mon_a', 1]]), '6f68a0645bf3566c');
  t.is(
    digestOf([
      ['mon_a', 1],
      ['mon_b', 2],
    ]),
    'c6f73c07363ad20b',
  );
});

test('the digest does not depend on the order', t => {
  fc.assert(fc.property(members, set => t.is(digestOf(set), digestOf(set.toReversed()))));
});

test('a member that is added and removed leaves no trace', t => {
  fc.assert(
    fc.property(members, members, (set, passing) => {
      t.is(digestOf([...passing, ...set, ...passing]), digestOf(set));
      t.is(digestOf([...set, ...set]), empty);
    }),
  );
});

test('another version, a missing member and a further one are each noticed', t => {
  fc.assert(
    fc.property(
      members.filter(set => set.length > 0),
      set => {
        const [first, ...rest] = set;
        if (first === undefined) return;
        const digest = digestOf(set);
        t.not(digestOf(rest), digest);
        t.not(digestOf([[first[0], first[1] + 1], ...rest]), digest);
        t.not(digestOf([...set, ['a longer id than any', 1]]), digest);
      },
    ),
  );
});

test('the digest has sixteen hexadecimal digits', t => {
  fc.assert(fc.property(members, set => t.regex(digestOf(set), /^[0-9a-f]{16}$/)));
});
