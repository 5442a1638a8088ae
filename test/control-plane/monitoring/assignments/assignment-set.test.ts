import test from 'ava';
import fc from 'fast-check';
import { AssignmentSet } from '#control-plane/monitoring/assignments/assignment-set.ts';
import { AssignmentDigest } from '#shared/protocol/digest.ts';

const id = fc.constantFrom(...'abcdefgh');
const versions = fc.array(fc.tuple(id, fc.integer({ min: 1, max: 3 }))).map(entries => new Map(entries));
const step = fc.record({ id, version: fc.option(fc.integer({ min: 1, max: 3 })) });

test('after any steps the digest is that of the assignments, as the agent computes it', t => {
  fc.assert(
    fc.property(versions, fc.array(step, { maxLength: 40 }), (start, steps) => {
      const assigned = AssignmentSet.of(start);
      const expected = new Map(start);
      for (const { id, version } of steps) {
        if (version === null) {
          assigned.drop(id);
          expected.delete(id);
        } else {
          assigned.put(id, version);
          expected.set(id, version);
        }
      }
      const digest = new AssignmentDigest();
      for (const [id, version] of expected) digest.toggle(id, version);
      t.deepEqual([...assigned.held].sort(), [...expected].sort());
      t.is(assigned.digest, digest.toString());
    }),
  );
});

test('an empty set has the digest of an agent that has nothing', t => {
  t.is(new AssignmentSet().digest, new AssignmentDigest().toString());
  t.is(AssignmentSet.of(new Map()).held.size, 0);
});

test('a digest depends on the members alone, not on how they got there', t => {
  fc.assert(
    fc.property(versions, fc.array(id), (members, detour) => {
      const [straight, round] = [new AssignmentDigest(), new AssignmentDigest()];
      for (const id of detour) round.toggle(id, 9);
      for (const [id, version] of members) straight.toggle(id, version);
      for (const [id, version] of [...members].reverse()) round.toggle(id, version);
      for (const id of detour) round.toggle(id, 9);
      return String(straight) === String(round);
    }),
  );
  t.pass();
});
