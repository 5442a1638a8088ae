import test from 'ava';
import fc from 'fast-check';
import type { Reported } from '#control-plane/monitoring/checks/intake/prepare.ts';
import {
  decodeEvents,
  decodeResults,
  encodeEvents,
  encodeResults,
  UnreadableMessage,
} from '#control-plane/operations/intake/nats/message.ts';
import { newId } from '#shared/ids.ts';
import { blankResult } from '#test/support/fake-agent.ts';

const report = (agentId: string, receivedAt: number, seq: number): Reported => ({
  result: { ...blankResult, seq },
  agentId,
  region: 'eu',
  isPrivate: seq % 2 === 0,
  receivedAt,
});

test('results come out as they went in, with their agents and in their order', t => {
  const sent = fc.array(fc.tuple(fc.constantFrom('agt_1', 'agt_2'), fc.nat(3), fc.nat(9)), { maxLength: 30 });
  fc.assert(
    fc.property(sent, picks => {
      const reported = picks.map(([agent, at, seq]) => ({ ...report(agent, at, seq), isPrivate: agent === 'agt_1' }));
      const read = decodeResults(encodeResults(reported)).flatMap(({ results, ...sender }) =>
        results.map(result => ({ result, ...sender })),
      );
      t.deepEqual(read, reported as unknown as typeof read);
    }),
  );
});

test('events come out as they went in', t => {
  const event = {
    projectId: 'proj_1',
    source: 'server' as const,
    id: newId('evt'),
    name: 'signup \u2028 🙂',
    type: 'track' as const,
    actor: 4_503_599_627_370_495,
    externalUserId: 'u',
    sessionId: null,
    props: '{"a":[1,2]}',
    timestamp: 1_700_000_000_123,
    dedupId: null,
  };
  t.deepEqual(decodeEvents(encodeEvents([event, event])), [event, event]);
});

test('whatever else is in a stream is unreadable, not a crash', t => {
  const bodies = [
    '',
    '{',
    'null',
    '[]',
    '{"v":1}',
    '{"v":2,"items":[]}',
    '{"v":1,"items":[null]}',
    '{"v":1,"items":[{}]}',
  ];
  for (const body of bodies)
    for (const decode of [decodeResults, decodeEvents])
      t.throws(() => decode(Buffer.from(body)), { instanceOf: UnreadableMessage }, body);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map(text => Buffer.from(`{"v":1,"items":${text}}`)),
      ),
      bytes => {
        for (const decode of [decodeResults, decodeEvents])
          try {
            decode(bytes);
          } catch (error) {
            if (!(error instanceof UnreadableMessage)) throw error;
          }
      },
    ),
  );
});
