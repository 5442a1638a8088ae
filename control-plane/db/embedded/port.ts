import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A loopback port that is free now: the remembered one if it still is, else one the kernel picks. */
export async function choosePort(remembered: number | null): Promise<number> {
  const kept = remembered === null ? null : await listenOnce(remembered);
  const port = kept ?? (await listenOnce(0));
  if (port === null) throw new Error('no free port on 127.0.0.1');
  return port;
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
