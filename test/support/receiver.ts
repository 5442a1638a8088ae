import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver of webhooks that takes everything; `ids` are the messages' in the order they came. */
export type Receiver = AsyncDisposable & { url: string; port: number; ids: string[] };

/** Starts one on loopback; `port` is for one that comes back after an outage. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const ids: string[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      ids.push(`${request.url} ${request.headers['webhook-id']}`);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const at = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${at}/`,
    port: at,
    ids,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
