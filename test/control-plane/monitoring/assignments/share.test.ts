import test from 'ava';
import fc from 'fast-check';
import { Share } from '#control-plane/monitoring/assignments/share.ts';
import { AssignmentDigest } from '#shared/protocol/digest.ts';

const id = fc.constantFrom(...'abcdefgh');
const versions = fc.array(fc.tuple(id, fc.integer({ min: 1, max: 3 }))).map(entries => new Map(entries));
const step = fc.record({ id, version: fc.option(fc.integer({ min: 1, max: 3 })) });

test('after any steps the digest is that of the assignments, as the agent computes it', t => {
  fc.assert(
    fc.property(versions, fc.array(step, { maxLength: 40 }), (start, steps) => {
      const share = Share.of(start);
      const expected = new Map(start);
      for (const { id, version } of steps) {
        if (version === null) {
          share.drop(id);
          expected.delete(id);
        } else {
          share.put(id, version);
          expected.set(id, version);
        }
      }
      const digest = new AssignmentDigest();
      for (const [id, version] of expected) digest.toggle(id, version);
      t.deepEqual([...share.held].sort(), [...expected].sort());
      t.is(share.digest, digest.toString());
    }),
  );
});

test('an empty share has the digest of an agent that has nothing', t => {
  t.is(new Share().digest, new AssignmentDigest().toString());
  t.is(Share.of(new Map()).held.size, 0);
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
