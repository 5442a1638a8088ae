import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '#shared/error-code.ts';

/**
 * A port that is free now and that nothing takes meanwhile, since it lies below those of outgoing connections and of
 * embedded servers: a server can be started on it again. No other test of the run is given it.
 */
export async function fixedPort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    try {
      closeSync(openSync(join(tmpdir(), `port-${port}`), 'wx'));
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    } catch (error) {
      if (!['EEXIST', 'EADDRINUSE'].includes(errorCode(error) ?? '')) throw error;
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
