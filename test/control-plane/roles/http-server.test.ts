import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { Hosts } from '#control-plane/publishing/status-pages/hosts/hosts.ts';
import type { PublishedPages } from '#control-plane/publishing/status-pages/serve/published-pages.ts';
import { openHttpServer } from '#control-plane/roles/http-server.ts';
import { until } from '#test/support/control-plane.ts';

const noPages = { find: () => undefined, hosts: new Hosts() } as unknown as PublishedPages;

async function openServer() {
  const server = await openHttpServer({ host: '127.0.0.1', port: 0, baseUrl: 'http://localhost' }, noPages);
  let asked = 0;
  server.open((_, response) => {
    asked += 1;
    setImmediate(() => response.end('ok'));
  });
  return { server, asked: () => asked };
}

test('a few requests sent ahead are answered in order', async t => {
  const { server, asked } = await openServer();
  t.teardown(() => server.close());
  const socket = connect(server.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write(
    `${'GET /a HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(9)}GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  );
  let text = '';
  socket.on('data', data => {
    text += data;
  });
  await once(socket, 'close');
  t.is(text.split('HTTP/1.1 200').length - 1, 10);
  t.is(asked(), 10);
});

test('a connection that sends more than it takes answers for is closed', async t => {
  const { server, asked } = await openServer();
  t.teardown(() => server.close());
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1400));
  socket.resume();
  await once(socket, 'close');
  t.true(asked() <= 32);
});

test('a client that does not read its answer is disconnected, and the answer is let go of', async t => {
  const server = await openHttpServer({ host: '127.0.0.1', port: 0, baseUrl: 'http://localhost' }, noPages, {
    idleMs: 400,
  });
  t.teardown(() => server.close());
  const closed = new Promise<boolean>(resolve =>
    server.open((_, response) => {
      response.once('close', () => resolve(response.writableFinished));
      // More than the buffers of both ends hold.
      response.end(Buffer.alloc(64 * 1024 * 1024));
    }),
  );
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  t.teardown(() => socket.destroy());
  socket.pause();
  socket.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n');
  t.false(await closed);
});

test('agents do not use up the connections of the API, and one too many for that is closed', async t => {
  const address = { host: '127.0.0.1', port: 0, baseUrl: 'http://localhost' };
  const server = await openHttpServer(address, noPages, { limits: { all: 2 } });
  t.teardown(() => server.close());
  server.open((_, response) => response.end('ok'));
  let upgrades = 0;
  server.onUpgrade((_, socket) => {
    upgrades += 1;
    t.teardown(() => socket.destroy());
  });
  const open = () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    t.teardown(() => socket.destroy());
    return socket;
  };
  for (let agent = 1; agent <= 4; agent++) {
    open().write('GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await until(
      async () => upgrades,
      count => count === agent,
    );
  }
  const answered = [open(), open()];
  for (const socket of answered) {
    socket.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
  }
  await once(open(), 'close');
  answered[0]?.destroy();
  t.true((await until(() => fetch(`http://127.0.0.1:${server.port}/`).catch(() => null), Boolean))?.ok);
});

for (const [title, limits, expected] of [
  ['one address', { exempt: [] }, 3],
  ['this machine, which may be a proxy,', {}, 5],
] as const)
  test(`of five connections of ${title} ${expected} are served where an address may have three`, async t => {
    const address = { host: '127.0.0.1', port: 0, baseUrl: 'http://localhost' };
    const server = await openHttpServer(address, noPages, { limits: { perAddress: 3, ...limits } });
    t.teardown(() => server.close());
    server.open((_, response) => response.end('ok'));
    const outcomes = Array.from({ length: 5 }, async () => {
      const socket = connect(server.port, '127.0.0.1');
      t.teardown(() => socket.destroy());
      socket.on('error', () => {});
      socket.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n');
      return Promise.race([once(socket, 'data').then(() => 'served'), once(socket, 'close').then(() => 'closed')]);
    });
    const served = (await Promise.all(outcomes.map(outcome => outcome.catch(() => 'closed')))).filter(
      outcome => outcome === 'served',
    );
    t.is(served.length, expected);
  });

test('an answer that says nothing else is kept by nobody and runs nothing; over https it stays with https', async t => {
  for (const [baseUrl, transport] of [
    ['http://localhost', null],
    ['https://up.example', 'max-age=31536000'],
  ] as const) {
    const server = await openHttpServer({ host: '127.0.0.1', port: 0, baseUrl }, noPages);
    t.teardown(() => server.close());
    server.open((_, response) => response.end('ok'));
    const { headers } = await fetch(`http://127.0.0.1:${server.port}/v0/x`);
    t.is(headers.get('cache-control'), 'no-store');
    t.is(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'");
    t.is(headers.get('x-content-type-options'), 'nosniff');
    t.is(headers.get('strict-transport-security'), transport);
  }
});

test('a request whose host or end is in doubt gets no page, and what follows it is no request', async t => {
  const pages = {
    find: () => {
      throw new Error('a page was looked for');
    },
    hosts: new Hosts(),
  } as unknown as PublishedPages;
  const server = await openHttpServer({ host: '127.0.0.1', port: 0, baseUrl: 'http://localhost' }, pages, {
    ownHosts: { serve: () => ({ type: 'elsewhere' }), refusesUpgrade: request => request.headers.host === 'own' },
  });
  t.teardown(() => server.close());
  const asked: string[] = [];
  server.open((request, response) => {
    asked.push(request.url ?? '');
    response.statusCode = 400;
    response.end();
  });
  server.onUpgrade((_, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
  const statusesOf = async (head: string, rest = '', allowHalfOpen = false) => {
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen });
    t.teardown(() => socket.destroy());
    socket.on('error', () => {});
    // Writing fails only when the server has let go of its side, too.
    const goOn = () => void (socket.destroyed || socket.write('x', () => setImmediate(goOn)));
    if (allowHalfOpen) socket.on('end', goOn);
    let text = '';
    socket.on('data', data => {
      text += data;
    });
    socket.write(`${head}\r\n\r\n${rest}`);
    await new Promise(resolve => socket.once('close', resolve));
    return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  };
  const close = 'Connection: close';
  for (const hosts of ['Host: a\r\nHost: b', 'Host: a\r\nhOST: a', 'X: a'])
    t.deepEqual(await statusesOf(`GET /status/a HTTP/1.1\r\n${hosts}\r\n${close}`), ['400'], hosts);
  t.deepEqual(asked.splice(0), ['/status/a', '/status/a', '/status/a'], 'createApp says what is wrong');
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket';
  t.deepEqual(await statusesOf(`GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n${upgrade}`, '', true), ['400']);
  t.deepEqual(await statusesOf(`GET /a HTTP/1.1\r\nHost: own\r\n${upgrade}`, '', true), ['404']);
  for (const host of ['a', 'own'])
    t.deepEqual(await statusesOf(`CONNECT db:5432 HTTP/1.1\r\nHost: ${host}`, '', true), ['405'], 'it is no proxy');
  t.deepEqual(await statusesOf(`GET /a HTTP/1.1\r\nHost: a\r\n${upgrade}`), ['101']);
  const hidden = `0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n${close}\r\n\r\n`;
  const chunked = 'Host: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked';
  t.deepEqual(await statusesOf(`POST /a HTTP/1.0\r\n${chunked}`, hidden), ['400']);
  t.deepEqual(asked.splice(0), []);
  t.deepEqual(await statusesOf(`GET /a HTTP/1.0\r\n${close}`), ['400'], 'HTTP/1.0 needs no host');
  t.deepEqual(asked, ['/a']);
});
