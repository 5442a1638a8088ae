import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test from 'ava';
import { connectWithoutDelay } from '#control-plane/delivery/transports/email/connect.ts';

type Opened = Parameters<Parameters<typeof connectWithoutDelay>[1]>;

const open = (port: number) =>
  new Promise<Opened>(resolve =>
    connectWithoutDelay({ host: '127.0.0.1', port, connectionTimeout: 5000 }, (...values) => resolve(values)),
  );

test('a server that listens is connected to, and one that does not is left to nodemailer', async t => {
  const server = createServer(socket => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [, opened] = await open(port);
  if (opened === false) return t.fail();
  const { connection } = opened;
  t.is(connection.remotePort, port);
  // Node has no public way to ask for it.
  const symbol = Object.getOwnPropertySymbols(connection).find(({ description }) => description === 'kSetNoDelay');
  t.true((connection as unknown as Record<symbol, unknown>)[symbol ?? Symbol('missing')]);
  t.is(connection.listenerCount('error'), 0, 'whoever takes the connection listens for its errors');
  connection.on('error', () => undefined).destroy();
  server.close();
  await once(server, 'close');
  t.deepEqual(await open(port), [null, false]);
});
