import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pageSecurityPolicy } from '#control-plane/status-pages/render/layout.ts';

/** A text at an address on loopback, under the policy of status pages, and all that was asked of it. */
export type ServedText = AsyncDisposable & { url: string; requests: string[] };

export async function serveText(text: string, type = 'text/html; charset=utf-8'): Promise<ServedText> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    // A browser asks for that by itself, of any site, whatever its pages say.
    if (request.url === '/favicon.ico') return response.writeHead(404).end();
    requests.push(`${request.method} ${request.url}`);
    response.setHeader('Content-Type', type).setHeader('Content-Security-Policy', pageSecurityPolicy).end(text);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/status/acme`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
