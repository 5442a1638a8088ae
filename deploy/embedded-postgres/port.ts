import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** No connection gets one of these ports by itself between the choice and its use. */
const ports = [20_000, 32_768] as const;
const triesMax = 100;

/** Returns a free loopback port: the given one if it is still free, otherwise a random one. */
export async function choosePort(wanted: number | null): Promise<number> {
  const reused = wanted === null ? null : await listenOnce(wanted);
  if (reused !== null) return reused;
  for (let tried = 0; tried < triesMax; tried++) {
    const port = await listenOnce(randomInt(...ports));
    if (port !== null) return port;
  }
  throw new Error('no free port on 127.0.0.1');
}

/** True if a program already listens on this loopback port. */
export async function isPortTaken(port: number): Promise<boolean> {
  return (await listenOnce(port)) === null;
}

async function listenOnce(port: number): Promise<number | null> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return null;
  } finally {
    server.close();
  }
}
