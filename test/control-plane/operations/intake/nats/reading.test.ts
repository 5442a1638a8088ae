import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import type { StreamMessage } from '#control-plane/operations/intake/nats/broker.ts';
import { follow, type Reading, stallOf } from '#control-plane/operations/intake/nats/reading.ts';

const standing = { createdAt: 'first', firstSeq: 1, lastSeq: 3 };

function messageOf(seq: number): StreamMessage {
  return { seq, at: 0, data: new Uint8Array() };
}

test('messages are followed as they come', async t => {
  const reading: Reading = { seq: 0, taken: 0, isWaiting: false };
  const more = Promise.withResolvers<void>();
  const messages = follow(
    (async function* () {
      yield messageOf(1);
      yield messageOf(4);
      await more.promise;
    })(),
    reading,
  );
  t.is((await messages.next()).value?.seq, 1);
  t.is((await messages.next()).value?.seq, 4);
  t.deepEqual(reading, { seq: 4, taken: 2, isWaiting: false });
  const end = messages.next();
  await setImmediate();
  t.true(reading.isWaiting);
  more.resolve();
  t.true((await end).done);
  t.false(reading.isWaiting);
});

test('a reader that gets nothing between two looks stalls if the stream had more at both', t => {
  const reading: Reading = { seq: 2, taken: 0, isWaiting: true };
  const isStalled = stallOf(reading);
  t.false(isStalled(standing));
  t.true(isStalled(standing));
  reading.taken += 1;
  t.false(isStalled(standing));
  t.true(isStalled(standing));
});

test('a reader that has all, or that is not asked for more, does not stall', t => {
  const reading: Reading = { seq: 3, taken: 0, isWaiting: true };
  const isStalled = stallOf(reading);
  for (const _ of [1, 2, 3]) t.false(isStalled(standing));
  Object.assign(reading, { seq: 0, isWaiting: false });
  for (const _ of [1, 2, 3]) t.false(isStalled(standing));
});

test('a stream whose messages are all forgotten has nothing more for a reader', t => {
  const isStalled = stallOf({ seq: 0, taken: 0, isWaiting: true });
  for (const _ of [1, 2, 3]) t.false(isStalled({ ...standing, firstSeq: 4 }));
});

test('only what waited at the look before counts', t => {
  const reading: Reading = { seq: 3, taken: 0, isWaiting: true };
  const isStalled = stallOf(reading);
  t.false(isStalled(standing));
  t.false(isStalled({ ...standing, lastSeq: 4 }));
  t.true(isStalled({ ...standing, lastSeq: 9 }));
});
