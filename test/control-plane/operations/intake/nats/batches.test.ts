import test from 'ava';
import { gather } from '#control-plane/operations/intake/nats/batches.ts';

const message = (seq: number, bytes = 1) => ({ seq, at: 0, data: new Uint8Array(bytes) });
const bounds = { messagesMax: 10, bytesMax: 100 };

async function batchesOf(messages: AsyncIterable<ReturnType<typeof message>>, limits = bounds) {
  const batches: number[][] = [];
  for await (const batch of gather(messages, limits)) batches.push(batch.map(({ seq }) => seq));
  return batches;
}

test('what has arrived is gathered up to the bounds, in order', async t => {
  const numbers = Array.from({ length: 25 }, (_, index) => index);
  const batches = await batchesOf(
    (async function* () {
      for (const seq of numbers) yield message(seq);
    })(),
  );
  t.deepEqual(batches.flat(), numbers);
  t.true(batches.every(batch => batch.length <= 10));
  t.true(batches.length < 10, `${batches.length} batches`);
  const large = (async function* () {
    for (const seq of [1, 2, 3]) yield message(seq, 90);
  })();
  t.deepEqual(await batchesOf(large), [[1, 2], [3]]);
});

test('a message is not kept waiting for the next, and a failure is thrown in its turn', async t => {
  const release = Promise.withResolvers<void>();
  const messages = (async function* () {
    yield message(1);
    await release.promise;
    throw new Error('lost');
  })();
  const batches = gather(messages, bounds);
  const first = await batches.next();
  t.is(first.done === true ? null : first.value[0]?.seq, 1);
  release.resolve();
  await t.throwsAsync(batches.next(), { message: 'lost' });
});
