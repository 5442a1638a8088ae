import { createServer, type Socket } from 'node:net';
import test from 'ava';
import { busOf } from '#control-plane/operations/intake/nats/bus.ts';
import { connectTo } from '#control-plane/operations/intake/nats/connection.ts';
import { until } from '#test/support/control-plane.ts';

/** What a NATS server of a few words says to the n-th client: well, or that it took too long to say who it is. */
function speak(socket: Socket, isWell: boolean): void {
  socket.write(`INFO ${JSON.stringify({ server_id: 'test', version: '2.10.27', proto: 1, max_payload: 1000 })}\r\n`);
  socket.on('error', () => {});
  socket.on('data', data => {
    if (!data.includes('PING')) return;
    if (isWell) socket.write('PONG\r\n');
    else socket.end("-ERR 'Authentication Timeout'\r\n");
  });
}

test('a connection comes back after errors of authentication, as of a server that is busy', async t => {
  const clients: Socket[] = [];
  const server = createServer(socket => {
    clients.push(socket);
    speak(socket, clients.length === 1 || clients.length > 4);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const connection = await connectTo({ connection: { servers: [`127.0.0.1:${port}`] } });
  t.teardown(() => connection.close());
  clients[0]?.destroy();
  await until(
    () => clients.length,
    count => count >= 5,
  );
  await until(
    () =>
      connection.rtt().then(
        () => true,
        () => false,
      ),
    true,
  );
  t.false(connection.isClosed());
});

test('what is to be passed on after the connection was closed is lost without an error', async t => {
  const server = createServer(socket => speak(socket, true));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const connection = await connectTo({ connection: { servers: [`127.0.0.1:${port}`] } });
  const { notify } = busOf(connection, 'test');
  t.notThrows(() => notify('config', 'before'));
  await connection.close();
  t.notThrows(() => notify('config', 'after'));
});
