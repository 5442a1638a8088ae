import type { Socket } from 'node:net';
import test from 'ava';
import type { Check } from '#shared/checks/check.ts';
import { dnsTools } from '../../../support/dns-check.ts';
import { answerA, dnsAnswer, startDnsServer, withLength } from '../../../support/dns-server.ts';
import { probeKindOnce, probeOnce } from '../../../support/probe.ts';
import { ok, startRawTarget, startTarget } from '../../../support/target.ts';
import { startWebsocketServer } from '../../../support/websocket-server.ts';

/** Writes as fast as the other side reads. */
function flood(socket: Socket, chunk: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

const dns = (port: number, transport: 'udp' | 'tcp') =>
  ({
    kind: 'dns',
    server: { host: '127.0.0.1', port },
    name: 'a.example',
    type: 'A',
    transport,
    recursion: true,
    agree_with: [],
  }) as Check;

const websocketAt = (port: number): Check => ({
  kind: 'websocket',
  secure: false,
  host: '127.0.0.1',
  port,
  path: '/',
  subprotocols: [],
  send: null,
  read: true,
});

/** After a handshake that is fine: pings, fragments of one message, and messages that begin within another. */
const frames: readonly [first: number[], next: number[]][] = [
  [[], [0x89, 0]],
  [
    [0x01, 1, 0x78],
    [0x00, 1, 0x78],
  ],
  [
    [0x01, 1, 0x78],
    [0x81, 1, 0x78],
  ],
];

// The servers use the thread as well, so that a connection may take as long as its check.
const possible = ['no_reply', 'protocol_error', 'tls_error', 'timeout', 'connection_reset', 'connect_timeout'];

/** An answer of 64 KiB that is all names pointing to names. */
function pointers(query: Parameters<typeof dnsAnswer>[0]): Buffer {
  const head = dnsAnswer({ ...query, transport: 'udp' }, []);
  const names = Buffer.alloc(65_000 - head.length);
  for (let at = 0; at + 1 < names.length; at += 2) names.writeUInt16BE(0xc000 | ((at * 7) % 0x3fff), at);
  const message = Buffer.concat([head, names]);
  message.writeUInt16BE(0xffff, 6);
  return withLength(message);
}

test('while servers of all kinds are hostile, the agent lives and other checks are answered', async t => {
  await using endless = await startRawTarget(socket => flood(socket, Buffer.alloc(65_536, 'x')));
  await using lines = await startRawTarget(socket => flood(socket, Buffer.from('220-more\r\n'.repeat(1000))));
  await using slow = await startRawTarget(socket => {
    const timer = setInterval(() => socket.write('2'), 5);
    socket.on('close', () => clearInterval(timer));
  });
  await using looping = await startDnsServer(query =>
    query.transport === 'tcp' ? [pointers(query)] : [dnsAnswer(query, [], { flags: 0x200 })],
  );
  await using foreign = await startDnsServer(query =>
    Array.from({ length: 150 }, () => dnsAnswer(query, [], { id: (query.packet.id ?? 0) ^ 1 })),
  );
  await using good = await startDnsServer(answerA('192.0.2.1'));
  await using target = await startTarget(ok());
  const checks: Check[] = [endless, lines, slow].flatMap(({ port }): Check[] => [
    { kind: 'tcp', host: '127.0.0.1', port, send: null, read: true },
    { kind: 'tls', host: 'localhost', port, starttls: 'smtp' },
    { kind: 'tls', host: 'localhost', port, starttls: 'imap' },
    { kind: 'tls', host: 'localhost', port, starttls: 'ldap' },
    { kind: 'tls', host: 'localhost', port, starttls: null },
    { kind: 'grpc', secure: false, host: '127.0.0.1', port, service: '' },
    websocketAt(port),
  ]);
  for (const [first, next] of frames) {
    const server = await startWebsocketServer(websocket => {
      const { _socket: socket } = websocket as unknown as { _socket: Socket };
      flood(socket, Buffer.concat([Buffer.from(first), ...Array<Buffer>(20_000).fill(Buffer.from(next))]));
    });
    t.teardown(() => server[Symbol.asyncDispose]());
    checks.push(websocketAt(server.port));
  }
  checks.push(dns(looping.port, 'udp'), dns(looping.port, 'tcp'), dns(foreign.port, 'udp'), dns(endless.port, 'tcp'));
  const hostile = checks
    .flatMap(check => [check, check, check])
    .map(check => probeKindOnce(check, dnsTools(), { timeoutMs: 3000 }));
  const others = await Promise.all([
    probeOnce({ url: target.url }),
    probeKindOnce(dns(good.port, 'udp'), dnsTools()),
    probeKindOnce({ kind: 'tcp', host: '127.0.0.1', port: target.port, send: null, read: false }),
  ]);
  t.deepEqual(
    others.map(({ error }) => error),
    [null, null, null],
  );
  for (const { error, failureSource } of await Promise.all(hostile)) {
    if (error === null) continue;
    t.true(possible.includes(error.code), error.code);
    t.is(failureSource, 'target');
  }
});
