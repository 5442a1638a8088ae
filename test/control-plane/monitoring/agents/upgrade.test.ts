import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import test from 'ava';
import type pg from 'pg';
import { openGateway } from '#control-plane/monitoring/agents/gateway.ts';
import { ReadBudgets } from '#control-plane/monitoring/agents/read-budgets.ts';
import { Sessions } from '#control-plane/monitoring/agents/sessions.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import { systemClock } from '#shared/clock.ts';
import { createLog } from '#shared/log.ts';
import { until } from '#test/support/control-plane.ts';

const upgrade =
  'GET /v0/agents/connect HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n';

async function openServer(): Promise<{ server: Server; port: number }> {
  const unasked = async () => {
    throw new Error('no result is reported here');
  };
  const gateway = openGateway({
    pool: {} as pg.Pool,
    clock: systemClock,
    log: createLog({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
    sessions: new Sessions(),
    readBudgets: new ReadBudgets(sqlOf({} as pg.Pool)),
    probes: { probed() {} },
    assignments: { connected() {}, disconnected() {}, applied() {} },
    results: { recordReported: unasked, full: () => false, drained: unasked },
    outlivesDatabase: false,
    baseUrl: 'http://localhost',
  });
  const server = createServer().on('upgrade', gateway.upgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

function connections(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );
}

/** What a peer does with its socket once its upgrade is refused. */
const manners: Record<string, (socket: Socket) => void> = {
  'keeps it': () => {},
  'ends its side': socket => socket.end(),
  'sends one more byte and closes': socket => socket.write('x', () => socket.destroy()),
  'resets it': socket => socket.resetAndDestroy(),
};

for (const [title, behave] of Object.entries(manners)) {
  test(`a refused upgrade frees its socket, also when the peer ${title}`, async t => {
    const { server, port } = await openServer();
    t.teardown(() => server.close());
    const sockets = Array.from({ length: 50 }, () => connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
    t.teardown(() => sockets.forEach(socket => void socket.destroy()));
    await Promise.all(
      sockets.map(async socket => {
        socket.on('error', () => {});
        socket.write(upgrade);
        const [data] = await once(socket, 'data');
        t.true(String(data).startsWith('HTTP/1.1 401'));
        behave(socket);
      }),
    );
    await until(
      () => connections(server),
      count => count === 0,
    );
    t.pass();
  });
}
