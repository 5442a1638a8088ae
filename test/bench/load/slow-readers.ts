import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Clients that ask for a page and read a little of it now and then. */
export type SlowReaders = {
  /** Ends them and returns how many the server had not cut off. */
  end(): number;
};

const readEveryMs = 1000;
const readBytes = 1024;
/** As many on one address as one household may have. */
const perAddress = 8;

/** Starts them from addresses of their own, each with a request for the page without compression. */
export async function startSlowReaders(url: string, count: number): Promise<SlowReaders> {
  const { hostname: host, port, pathname } = new URL(url);
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index++) {
    const address = Math.floor(index / perAddress);
    const localAddress = `127.1.${Math.floor(address / 250)}.${1 + (address % 250)}`;
    const socket = connect({ host, port: Number(port), localAddress });
    await once(socket, 'connect');
    socket.pause();
    socket.on('error', () => {});
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    sockets.push(socket);
  }
  const reading = setInterval(() => {
    for (const socket of sockets) socket.read(readBytes);
  }, readEveryMs);
  return {
    end: () => {
      clearInterval(reading);
      const open = sockets.filter(socket => !socket.destroyed && !socket.readableEnded).length;
      for (const socket of sockets) socket.destroy();
      return open;
    },
  };
}
