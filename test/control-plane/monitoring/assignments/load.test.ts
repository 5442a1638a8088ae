import test from 'ava';
import fc from 'fast-check';
import { groupIntoMessages, type LoadedAssignment } from '#control-plane/monitoring/assignments/load.ts';
import { type Assignment, assignmentsMax } from '#shared/protocol/messages.ts';

const messageBytesMax = 700_000;

function loadedOf(bytes: readonly number[]): LoadedAssignment[] {
  return bytes.map((size, index) => ({
    assignment: { monitor_id: `mon_${index}` } as Assignment,
    bytes: size,
    projectId: 'prj_1',
    configuredAt: 0,
  }));
}

test('nothing to put is one empty message: it carries what to drop', t => {
  t.deepEqual(groupIntoMessages([]), [[]]);
});

test('messages keep the order, lose nothing and stay within bytes and count', t => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 900_000 }), { maxLength: 3 * assignmentsMax }), bytes => {
      const loaded = loadedOf(bytes);
      const messages = groupIntoMessages(loaded);
      t.deepEqual(
        messages.flat(),
        loaded.map(({ assignment }) => assignment),
      );
      const sizes = new Map(loaded.map(({ assignment, bytes: size }) => [assignment, size]));
      for (const message of messages) {
        t.true(message.length <= assignmentsMax);
        const total = message.reduce((sum, assignment) => sum + (sizes.get(assignment) ?? 0), 0);
        // One assignment alone may be larger: it has a bound of its own.
        t.true(message.length === 1 || total <= messageBytesMax);
      }
    }),
    { numRuns: 50 },
  );
});
