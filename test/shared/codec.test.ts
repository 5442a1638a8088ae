import test from 'ava';
import fc from 'fast-check';
import { decodeAgentMessage, decodeControlMessage, encode, ProtocolError } from '#shared/protocol/codec.ts';
import { AssignmentDigest } from '#shared/protocol/digest.ts';
import type { AgentMessage, ControlMessage } from '#shared/protocol/messages.ts';

const count = fc.integer({ min: 0, max: 1_000_000 });
const spool = fc.record({ count, bytes: count, dropped: count });
const agentMessage: fc.Arbitrary<AgentMessage> = fc.oneof(
  fc.record({
    type: fc.constant('hello' as const),
    protocol: fc.constant(1 as const),
    version: fc.string({ maxLength: 64 }),
    boot_id: fc.string({ maxLength: 64 }),
    held: fc.record({ revision: count, digest: fc.string({ maxLength: 64 }) }),
    spool,
  }),
  fc.record({ type: fc.constant('applied' as const), revision: count, digest: fc.string({ maxLength: 64 }) }),
);
const controlMessage: fc.Arbitrary<ControlMessage> = fc.oneof(
  fc.record({ type: fc.constant('goaway' as const), reason: fc.string(), after_ms: count }),
  fc.record({
    type: fc.constant('ack' as const),
    seq: count,
    refused: fc.array(fc.record({ seq: count, reason: fc.string() })),
  }),
);

test('what one side writes the other reads back the same', t => {
  fc.assert(
    fc.property(agentMessage, message => {
      t.deepEqual(decodeAgentMessage(encode(message)), message);
    }),
  );
  fc.assert(
    fc.property(controlMessage, message => {
      t.deepEqual(decodeControlMessage(encode(message)), message);
    }),
  );
});

test('anything else is refused with a ProtocolError that holds nothing of its content', t => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), text => {
      const error = t.throws(() => decodeControlMessage(text), { instanceOf: ProtocolError });
      t.true(error.message === 'not JSON' || error.message.startsWith('malformed message at /'));
    }),
  );
});

test('a digest does not depend on the order, and a member put in twice is out again', t => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 20 }), ids => {
      const [forth, back] = [new AssignmentDigest(), new AssignmentDigest()];
      for (const id of ids) forth.toggle(id, 1);
      for (const id of ids.toReversed()) back.toggle(id, 1);
      t.is(forth.toString(), back.toString());
      for (const id of ids) forth.toggle(id, 1);
      t.is(forth.toString(), new AssignmentDigest().toString());
    }),
  );
});
