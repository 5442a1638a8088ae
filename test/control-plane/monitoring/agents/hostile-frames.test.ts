import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import WebSocket from 'ws';
import { newId } from '#shared/ids.ts';
import { closeCodes } from '#shared/protocol/close-codes.ts';
import { helloBytesMax, smallMessageBytesMax, subprotocol } from '#shared/protocol/messages.ts';
import { apiOf, createRegions, createTenant, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const database = useDatabase(test);

async function openWorld(t: ExecutionContext, code: string) {
  const secrets = await createRegions(database(), [`${code}-bad`, `${code}-good`]);
  const replica = await sharedReplica(database());
  const good = await connectFakeAgent(replica.url, secrets[`${code}-good`]?.secret ?? '');
  t.teardown(() => good.vanish());
  const isServed = async () => {
    const refused = await good.report([goodResult(newId('mon'), Date.now())]);
    return refused[0]?.reason === 'unknown_monitor';
  };
  return { replica, secret: secrets[`${code}-bad`]?.secret ?? '', isServed };
}

/** An upgraded socket of an agent, for any bytes. */
async function upgrade(port: number, secret: string): Promise<Socket> {
  const headers = {
    authorization: `Bearer ${secret}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
    'sec-websocket-protocol': subprotocol,
  };
  const asked = request({ host: '127.0.0.1', port, path: '/v0/agents/connect', headers });
  asked.end();
  const [, socket] = await once(asked, 'upgrade');
  socket.on('error', () => undefined);
  return socket;
}

const final = 0x80;
const [continuation, text, close, ping] = [0, 1, 8, 9];

/** A frame as clients send it: masked, here with zeros, which change nothing. */
function frame(head: number, payload: Uint8Array | string = '', { masked = true, length = -1 } = {}): Buffer {
  const body = Buffer.from(payload as string);
  const declared = length < 0 ? body.length : length;
  const bit = masked ? 0x80 : 0;
  const size =
    declared < 126
      ? Buffer.from([bit | declared])
      : Buffer.concat([Buffer.from([bit | 127]), Buffer.from(declared.toString(16).padStart(16, '0'), 'hex')]);
  return Buffer.concat([Buffer.from([head]), size, Buffer.alloc(masked ? 4 : 0), body]);
}

const frames: Record<string, Buffer> = {
  'a frame without a mask': frame(final | text, '{}', { masked: false }),
  'a reserved bit': frame(final | 0x40 | text, '{}'),
  'a reserved kind of data': frame(final | 3, '{}'),
  'a reserved kind of control': frame(final | 11, ''),
  'a ping of 200 bytes': frame(final | ping, 'x'.repeat(200)),
  'a ping in fragments': frame(ping, 'x'),
  'the end of nothing': frame(final | continuation, 'x'),
  'a text inside a text': Buffer.concat([frame(text, '{'), frame(final | text, '}')]),
  'a length of 2^62': frame(final | text, '', { length: Number(2n ** 62n) }),
  'a length of a gibibyte': frame(final | text, 'x', { length: 2 ** 30 }),
  'a text that is not UTF-8': frame(final | text, Buffer.from([0xc0, 0xaf])),
  'a close with half a code': frame(final | close, 'x'),
  'a close with a reserved code': frame(final | close, Buffer.from([0x03, 0xed])),
  'a close with a reason that is not UTF-8': frame(final | close, Buffer.from([0x03, 0xe8, 0xc0, 0xaf])),
  'a text of two thousand empty fragments': Buffer.concat([
    frame(text),
    ...Array.from({ length: 2000 }, () => frame(continuation)),
  ]),
  'bytes that are no frames': Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 131 + 17) % 256)),
};

test.serial('S4: each malformed frame ends its own connection, and nobody else’s', async t => {
  const { replica, secret, isServed } = await openWorld(t, 'frames');
  /** For a fault of the frame, that is: a session without a hello would be closed later for that. */
  const ended = async (bytes: Buffer): Promise<boolean> => {
    const socket = await upgrade(replica.port, secret);
    const closed = once(socket, 'close');
    const received: Buffer[] = [];
    socket.on('data', chunk => received.push(chunk));
    socket.write(bytes);
    socket.once('end', () => socket.end());
    await closed;
    const answer = Buffer.concat(received);
    return answer[0] === (final | close) && answer.readUInt16BE(2) !== closeCodes.noHello;
  };
  for (const [title, bytes] of Object.entries(frames)) t.true(await ended(bytes), title);
  t.true(await isServed());

  const bytesMax = 20 * 1024 * 1024;
  const before = process.memoryUsage();
  // Garbage is collected now and then, and what stays grows with each round.
  let grown = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= 50 && (round < 10 || grown >= bytesMax); round++) {
    await Promise.all(Object.values(frames).map(ended));
    const after = process.memoryUsage();
    grown = after.external + after.arrayBuffers - before.external - before.arrayBuffers;
  }
  t.true(grown < bytesMax, `${grown} bytes`);
  t.true(await isServed());
});

test.serial(
  'a flood of pings waits in the sender, and its answers do not pile up for one who does not read',
  async t => {
    const { replica, secret, isServed } = await openWorld(t, 'pings');
    const socket = new WebSocket(`${replica.url.replace(/^http/, 'ws')}/v0/agents/connect`, subprotocol, {
      headers: { authorization: `Bearer ${secret}` },
    });
    t.teardown(() => socket.terminate());
    socket.on('error', () => undefined);
    await once(socket, 'open');
    socket.pause();
    const payload = Buffer.alloc(125);
    // More than the buffers of both kernels hold.
    for (let count = 0; count < 120_000; count++) socket.ping(payload);
    const unsent: number[] = [];
    await until(() => {
      unsent.push(socket.bufferedAmount);
      const [now = 0, before = 0] = [unsent.at(-1), unsent.at(-10)];
      return unsent.length > 10 && now === before;
    }, true);
    t.true((unsent.at(-1) ?? 0) > 1024 * 1024, `${unsent.at(-1)} bytes wait`);
    t.true(await isServed());
  },
);

test.serial('the API answers while more agents ask to connect than the database admits', async t => {
  const { replica, secret } = await openWorld(t, 'crowd');
  const { token } = await createTenant(database());
  const blocker = new pg.Client(database());
  blocker.on('error', () => undefined);
  await blocker.connect();
  t.teardown(() => blocker.end());
  await blocker.query('begin');
  await blocker.query('lock table agents in access exclusive mode');
  const asking = Array.from({ length: 8 }, () => upgrade(replica.port, secret));
  const isHeldUp = async () => {
    const { rows } = await blocker.query('select from pg_locks where relation = $1::regclass and not granted', [
      'agents',
    ]);
    return rows.length >= 2;
  };
  await until(isHeldUp, true);
  const calls = Array.from({ length: 6 }, () => apiOf(replica.url, token)('GET', '/v0/labels'));
  const answers = await Promise.all(calls);
  t.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  t.true(await isHeldUp(), 'nobody was admitted before');
  await blocker.query('rollback');
  for (const socket of await Promise.all(asking)) socket.destroy();
});

test.serial('large messages that are no results end the connection, before and after hello', async t => {
  const { replica, secret, isServed } = await openWorld(t, 'large');
  const large = `{"type":"applied","revision":1,"digest":"","x":[${'[],'.repeat(smallMessageBytesMax / 3)}[]]}`;
  const late = await connectFakeAgent(replica.url, secret);
  late.sendText(large);
  t.is(await late.closed, closeCodes.malformed);
  const hello = { type: 'hello', protocol: 1, version: 'v', boot_id: 'b', x: 'y'.repeat(helloBytesMax) };
  for (const first of [large, JSON.stringify(hello)]) {
    const socket = await upgrade(replica.port, secret);
    const received: Buffer[] = [];
    socket.on('data', chunk => received.push(chunk));
    socket.write(frame(final | text, first));
    await until(() => Buffer.concat(received)[0] === (final | close), true);
    t.is(Buffer.concat(received).readUInt16BE(2), closeCodes.malformed);
    socket.destroy();
  }
  t.true(await isServed());
});
