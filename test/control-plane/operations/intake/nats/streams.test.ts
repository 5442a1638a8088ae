import test from 'ava';
import fc from 'fast-check';
import { shardCount, shardOf, streamsOf, subjectOf } from '#control-plane/operations/intake/nats/streams.ts';

test('every shard of a kind belongs to one stream', t => {
  const streams = streamsOf('upquorum');
  t.is(new Set(streams.map(({ name }) => name)).size, 16);
  for (const kind of ['results', 'events'] as const) {
    const subjects = streams.flatMap(stream => (stream.kind === kind ? stream.subjects : []));
    const expected = Array.from({ length: shardCount }, (_, shard) => subjectOf('upquorum', kind, shard));
    t.deepEqual(subjects, expected);
  }
});

test('a key stays in its shard for ever', t => {
  t.is(shardOf('agt_01m8264c1pyyn586mf19ezgynk'), 201);
  t.is(shardOf(''), 227);
  fc.assert(fc.property(fc.string(), key => shardOf(key) >= 0 && shardOf(key) < shardCount));
});
