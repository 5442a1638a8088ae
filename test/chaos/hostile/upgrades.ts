import { connect, type Socket } from 'node:net';
import { wait } from '#shared/wait.ts';
import type { Attack } from './attack.ts';

const everyMs = 20;
const upgrade =
  'GET /v0/agents/connect HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n';
const elsewhere = upgrade.replace('/v0/agents/connect', '/status/none');

/** What a peer does with its socket once its upgrade is refused. */
const manners: readonly ((socket: Socket) => void)[] = [
  () => undefined,
  socket => socket.end(),
  socket => socket.write('x', () => socket.destroy()),
  socket => socket.resetAndDestroy(),
];

/** H3: fifty refused upgrades per second, kept, half-closed, with a byte more, and reset. */
export const keepUpgrades: Attack = async ({ port }, tally, signal, begun) => {
  begun();
  const sockets = new Set<Socket>();
  for (let index = 0; !signal.aborted; index++) {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    socket.write(index % 2 === 0 ? upgrade : elsewhere);
    socket.once('data', data => {
      tally(String(data).slice(9, 12));
      manners[index % manners.length]?.(socket);
    });
    await wait(everyMs);
  }
  tally('still open', sockets.size);
  for (const socket of sockets) socket.destroy();
};
