import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test from 'ava';
import { choosePort, isPortTaken } from '#deploy/embedded-postgres/port.ts';

test('a port is used again while it is free, and another one while it is taken', async t => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  t.true(await isPortTaken(port));
  t.not(await choosePort(port), port);
  server.close();
  await once(server, 'close');
  t.false(await isPortTaken(port));
  t.is(await choosePort(port), port);
});
