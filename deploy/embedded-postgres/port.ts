import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns a free loopback port: the staleIfError one if it still is free, otherwise one that the kernel picks. */
export async function choosePort(staleIfError: number | null): Promise<number> {
  const reused = staleIfError === null ? null : await listenOnce(staleIfError);
  const port = reused ?? (await listenOnce(0));
  if (port === null) throw new Error('no free port on 127.0.0.1');
  return port;
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
