import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pageSecurityPolicy } from '#control-plane/publishing/status-pages/render/layout.ts';

/** A text at an address on loopback, under the policy of status pages, and all that was asked of it. */
export type ServedText = AsyncDisposable & { url: string; requests: string[] };

export async function serveText(text: string, type = 'text/html; charset=utf-8'): Promise<ServedText> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    // Browsers ask for icons when it suits them, for some pages and not for others.
    if (/^\/favicon\.ico$|\/icon\.svg(\?|$)/.test(request.url ?? '')) return response.writeHead(404).end();
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
