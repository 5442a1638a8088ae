import test from 'ava';
import { createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const mib = 1_048_576;

test('who sends too much reads the answer, whatever the size, declared or not', async t => {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const { token } = await createTenant(databaseOf());
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = async (path: string, body: Uint8Array | ReadableStream) => {
    const answer = await fetch(`${replica.url}${path}`, { method: 'POST', headers, body, duplex: 'half' });
    const { code } = (await answer.json()) as { code: string };
    return `${answer.status} ${code}`;
  };
  const streamed = (size: number) =>
    new ReadableStream({
      start: controller => {
        for (let sent = 0; sent < size; sent += mib / 4) controller.enqueue(new Uint8Array(mib / 4).fill(0x20));
        controller.close();
      },
    });
  for (let round = 0; round < 5; round++) {
    t.is(await post('/v0/events', Buffer.alloc(8 * mib, 0x20)), '413 payload_too_large');
    t.is(await post('/v0/events', Buffer.alloc(5 * mib + 2, 0x20)), '413 payload_too_large');
    t.is(await post('/v0/events', Buffer.alloc(20 * mib, 0x20)), '413 payload_too_large');
    t.is(await post('/v0/events', streamed(8 * mib)), '413 payload_too_large');
    t.is(await post('/v0/monitors', Buffer.alloc(4 * mib, 0x20)), '413 payload_too_large');
  }
});
