import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test from 'ava';
import { choosePort } from '#deploy/embedded-postgres/port.ts';
import { portHolder } from '#deploy/local/port-holder.ts';

test('the process that listens on a port is named', async t => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  t.regex(
    await portHolder((server.address() as AddressInfo).port),
    new RegExp(`^ by process ${process.pid} \\(.+\\)$`),
  );
});

test('of a free port there is nothing to say', async t => {
  t.is(await portHolder(await choosePort(null)), '');
});
