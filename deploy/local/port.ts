import { once } from 'node:events';
import { createServer } from 'node:net';

/** True when something listens on this port of the loopback interface. */
export async function isPortTaken(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return false;
  } catch {
    return true;
  } finally {
    server.close();
  }
}
