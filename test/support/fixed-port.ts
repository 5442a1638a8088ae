import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port that is free now and that no outgoing connection takes meanwhile, since it lies below those: a server can be
 * started on it again.
 */
export async function fixedPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
