import test from 'ava';
import fc from 'fast-check';
import { diffAssignments } from '#control-plane/assignments/diff.ts';
import { ownerOf } from '#control-plane/assignments/plan.ts';
import { newId } from '#shared/ids.ts';
import { AssignmentDigest } from '#shared/protocol/digest.ts';

const agents = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 12 });
const monitor = fc.string({ minLength: 1, maxLength: 30 });

test('every replica names the same owner, whatever the order of its rows', t => {
  fc.assert(
    fc.property(
      agents,
      monitor,
      (ids, id) => ownerOf(id, ids) === ownerOf(id, ids.toReversed()) && ids.includes(ownerOf(id, ids) ?? ''),
    ),
  );
  t.is(ownerOf('m', []), null);
});

test('when an agent goes only its share moves', t => {
  fc.assert(
    fc.property(agents, fc.array(monitor, { maxLength: 50 }), fc.nat(), (ids, monitors, pick) => {
      const gone = ids[pick % ids.length];
      const left = ids.filter(id => id !== gone);
      return monitors.every(id => ownerOf(id, ids) === gone || ownerOf(id, ids) === ownerOf(id, left));
    }),
  );
  t.pass();
});

test('real ids are spread evenly', t => {
  const ids = Array.from({ length: 5 }, () => newId('agt'));
  const counts = new Map<string | null, number>();
  for (let index = 0; index < 20_000; index++) {
    const owner = ownerOf(newId('mon'), ids);
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  for (const count of counts.values()) t.true(Math.abs(count - 4000) < 400, `${[...counts.values()]}`);
});

const held = fc
  .array(fc.tuple(fc.constantFrom(...'abcdefgh'), fc.integer({ min: 1, max: 3 })))
  .map(entries => new Map(entries));

test('a difference applied to what is held gives what is wanted, and nothing is sent twice', t => {
  fc.assert(
    fc.property(held, held, (before, wanted) => {
      const { put, drop } = diffAssignments(before, wanted);
      const after = new Map(before);
      for (const id of drop) after.delete(id);
      for (const id of put) after.set(id, wanted.get(id) ?? 0);
      t.deepEqual([...after].sort(), [...wanted].sort());
      t.true(put.every(id => before.get(id) !== wanted.get(id)));
    }),
  );
});

test('a digest depends on the members alone, not on the way there', t => {
  fc.assert(
    fc.property(held, fc.array(fc.constantFrom(...'abcdefgh')), (members, detour) => {
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
