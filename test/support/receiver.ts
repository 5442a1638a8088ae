import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook receiver that accepts everything; `ids` are path and id of each message, in the order of arrival. */
export type Receiver = AsyncDisposable & { url: string; port: number; ids: string[] };

/** Starts a receiver on loopback; give the `port` of an earlier one to end its outage. */
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
  const listening = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${listening}/`,
    port: listening,
    ids,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
