import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import test from 'ava';
import type { Caller } from '#control-plane/platform/http/endpoint/caller.ts';
import type { ChangeFeed } from '#control-plane/web/changes/feed.ts';
import { changeEndpoints } from '#control-plane/web/changes/routes.ts';
import { until } from '#test/support/control-plane.ts';

const caller: Caller = { projectId: 'p', actor: { type: 'token', id: 't', name: 't' }, scopes: ['*'], expiresAt: null };

test('clients that are gone before their stream opens do not count as open streams', async t => {
  const isKnown = Promise.withResolvers<Caller>();
  const feed = { closing: new AbortController().signal } as ChangeFeed;
  const [endpoint] = changeEndpoints({ feed, authenticate: () => isKnown.promise, charge: async () => {} });
  const outcomes: Promise<string>[] = [];
  const open = async (request: IncomingMessage): Promise<string> => {
    const received = { request, path: '/v0/changes', query: {}, authorization: undefined, identified() {} };
    if (endpoint?.kind !== 'raw') throw new Error('the stream takes its requests unread');
    return String((await endpoint.handle(received)).status);
  };
  const server = createServer(request => {
    outcomes.push(open(request).catch((error: { code: string }) => error.code));
  });
  const accepted = new Set<Socket>();
  server.on('connection', socket => {
    accepted.add(socket);
    socket.once('close', () => accepted.delete(socket));
  });
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const ask = (): Socket => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.write('GET /v0/changes HTTP/1.1\r\nHost: test\r\n\r\n');
    return socket;
  };
  const clients = Array.from({ length: 200 }, ask);
  await until(
    async () => outcomes.length,
    count => count === 200,
  );
  for (const client of clients) client.destroy();
  await until(
    async () => accepted.size,
    count => count === 0,
  );
  isKnown.resolve(caller);
  t.deepEqual(new Set(await Promise.all(outcomes)), new Set(['request_timeout']));
  ask();
  await until(
    async () => outcomes.length,
    count => count === 201,
  );
  t.is(await outcomes[200], '200');
});
