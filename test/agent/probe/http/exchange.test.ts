import { connect, type Socket } from 'node:net';
import test from 'ava';
import { Deadline, DeadlineError } from '#agent/probe/deadline.ts';
import { ExchangeError, type ExchangeOptions, exchange, type Seen } from '#agent/probe/http/exchange.ts';
import { headerBytesMax } from '#agent/probe/http/response-parser.ts';
import type { Hop } from '#agent/probe/redirect.ts';
import { version } from '#agent/version.ts';
import { answer, startRawTarget, startTarget } from '../../../support/target.ts';

const okEmpty = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/** Sends one request to a target and returns the response with the socket it came over. */
async function send(url: string, changes: Partial<Hop> = {}, options: Partial<ExchangeOptions> = {}, limitMs = 5000) {
  const target = new URL(url);
  const socket = connect(Number(target.port), target.hostname);
  using deadline = new Deadline(limitMs);
  const hop: Hop = { url: target, method: 'GET', headers: {}, body: null, ...changes };
  const seen: Seen = { statusCode: null, firstByteMs: null, bytes: 0, warnings: [] };
  const eventMs = () => performance.now();
  const all = { hop, cookies: null, socket, followRedirects: true, takeBytes: () => true, eventMs, ...options };
  const response = await exchange(all, deadline, seen);
  return { ...response, socket };
}

/** The bytes a request consists of, as the target reads them. */
async function requestText(changes: Partial<Hop>): Promise<string> {
  const received = Promise.withResolvers<string>();
  await using target = await startRawTarget(socket => {
    socket.once('data', data => {
      received.resolve(data.toString());
      socket.end(okEmpty);
    });
  });
  await send(target.url, changes);
  return received.promise;
}

test('a request has the agent’s default headers and closes its connection', async t => {
  const text = await requestText({});
  t.regex(text, /^GET \/ HTTP\/1\.1\r\n/);
  for (const header of [
    /Host: 127\.0\.0\.1:\d+\r\n/,
    new RegExp(`User-Agent: upquorum/${version.replaceAll('..', '\\.')}\r\n`),
    /Accept: \*\/\*\r\n/,
    /Accept-Encoding: gzip, deflate, br, zstd\r\n/,
    /Connection: close\r\n/,
  ])
    t.regex(text, header);
  t.notRegex(text, /Content-Length|Transfer-Encoding/);
});

test('a header of the customer replaces the default of the same name in any case, but never Connection', async t => {
  const headers = {
    host: 'other.test',
    'USER-AGENT': 'mine',
    accept: 'a/b',
    'Accept-Encoding': 'x',
    Connection: 'keep',
  };
  const text = await requestText({ headers });
  for (const name of ['host', 'user-agent', 'accept', 'accept-encoding', 'connection'])
    t.is(text.match(new RegExp(`^${name}:`, 'gim'))?.length, 1, name);
  t.regex(text, /host: other\.test\r\n/);
  t.regex(text, /Connection: close\r\n/);
});

for (const [method, body, length] of [
  ['POST', null, '0'],
  ['PUT', null, '0'],
  ['PATCH', null, '0'],
  ['POST', 'grün', '5'],
  ['DELETE', 'x', '1'],
  ['DELETE', null, null],
  ['HEAD', null, null],
  ['OPTIONS', null, null],
] as const)
  test(`a ${method} with body ${JSON.stringify(body)} has content length ${length}`, async t => {
    const text = await requestText({ method, body });
    t.is(/Content-Length: (\d+)/.exec(text)?.[1] ?? null, length);
    t.true(text.endsWith(`\r\n\r\n${body ?? ''}`));
  });

test('path and query are sent as the URL has them', async t => {
  const received: string[] = [];
  await using target = await startTarget((request, response) => {
    received.push(request.url ?? '');
    response.end();
  });
  await send(`${target.url}a%20b?c=d&e=%26#fragment`);
  t.deepEqual(received, ['/a%20b?c=d&e=%26']);
});

test('the response has status, headers, body and both times, and its socket is destroyed', async t => {
  await using target = await startTarget(answer(418, 'short', { 'x-a': 'b' }));
  const { statusCode, headers, body, firstByteMs, downloadMs, socket } = await send(target.url);
  t.is(statusCode, 418);
  t.is(headers.get('x-a'), 'b');
  t.like(body, { text: 'short', bytes: 5, truncated: false });
  t.true(firstByteMs > 0 && (downloadMs ?? -1) >= 0);
  t.true(socket.destroyed);
});

test('the body of a redirect to follow is not read, and the socket is destroyed', async t => {
  await using target = await startRawTarget(socket => {
    socket.write('HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 100\r\n\r\nhalf');
  });
  const { statusCode, body, downloadMs, socket } = await send(target.url);
  t.deepEqual([statusCode, body, downloadMs], [302, null, null]);
  t.true(socket.destroyed);
});

for (const [what, options, headers] of [
  ['redirects are not followed', { followRedirects: false }, { location: '/next' }],
  ['it has no location', {}, {}],
] as const)
  test(`a redirect is a response like any other if ${what}`, async t => {
    await using target = await startTarget(answer(302, 'moved', headers));
    t.is((await send(target.url, {}, options)).body?.text, 'moved');
  });

const failures: [what: string, talk: (socket: Socket) => void, code: RegExp][] = [
  ['closes the connection without a response', socket => socket.end(), /ECONNRESET/],
  [
    'switches protocols',
    socket => socket.write('HTTP/1.1 101 x\r\nUpgrade: y\r\nConnection: Upgrade\r\n\r\n'),
    /UPGRADE/,
  ],
  ['sends something else', socket => socket.write('SSH-2.0-OpenSSH\r\n\r\n'), /^HPE_/],
  [
    'sends too many headers',
    socket => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(headerBytesMax)}\r\n\r\n`),
    /HPE_HEADER_OVERFLOW/,
  ],
];
for (const [what, talk, code] of failures)
  test(`a target that ${what} is an ExchangeError`, async t => {
    await using target = await startRawTarget(socket => socket.once('data', () => talk(socket)));
    const error = await t.throwsAsync(send(target.url), { instanceOf: ExchangeError });
    t.regex(error?.code ?? '', code);
  });

for (const [phase, sent] of [
  ['before the headers', ''],
  ['within the headers', 'HTTP/1.1 200 OK\r\nX: '],
  ['within the body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'],
] as const)
  test(`a target that stops sending ${phase} is a DeadlineError`, async t => {
    await using target = await startRawTarget(socket => socket.once('data', () => socket.write(sent)));
    await t.throwsAsync(send(target.url, {}, {}, 100), { instanceOf: DeadlineError });
  });
