import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '#shared/ids.ts';
import { answerNodeErrors } from './http/node-errors.ts';
import { Problem, problemBody } from './http/problem.ts';
import type { PublishedPages } from './status-pages/published-pages.ts';
import { servePublished } from './status-pages/serve.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The listening server. Until `open` gives it the rest, published pages are all it serves: they need no database. */
export type FrontDoor = {
  server: Server;
  port: number;
  open(answer: Answer): void;
  /** Lets running requests end, but not for longer than five seconds. */
  close(): Promise<void>;
};

const closeWithinMs = 5000;

/** Throws when the port cannot be had. */
export async function openFrontDoor(
  place: { host: string; port: number; baseUrl: string },
  pages: PublishedPages,
): Promise<FrontDoor> {
  let answer: Answer = (request, response) => notYet(request, response, place.baseUrl);
  const server = createServer(
    {
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      maxHeaderSize: 16_384,
      // Node's own answer to a missing Host has no body; createApp refuses it.
      requireHostHeader: false,
      // Some clients offer h2c with each request: that is an ordinary request.
      shouldUpgradeCallback: request => request.headers.upgrade?.toLowerCase() === 'websocket',
    },
    (request, response) => {
      if (!servePublished(pages, request, response)) void answer(request, response);
    },
  );
  answerNodeErrors(server, place.baseUrl);
  server.listen(place.port, place.host);
  await once(server, 'listening');
  return {
    server,
    port: (server.address() as AddressInfo).port,
    open: given => {
      answer = given;
    },
    close: () => closeServer(server),
  };
}

/** The database has not answered since the start. */
function notYet(request: IncomingMessage, response: ServerResponse, baseUrl: string): void {
  const requestId = newId('req');
  const path = (request.url ?? '').split('?')[0] ?? '';
  const problem = new Problem('unavailable', { retryAfter: 1 });
  const alive = path === '/healthz';
  const body = alive ? { status: 'ok' } : problemBody(problem, { baseUrl, path, requestId });
  response
    .writeHead(alive ? 200 : 503, {
      'Content-Type': alive ? 'application/json' : 'application/problem+json',
      'X-Request-Id': requestId,
      ...(alive ? {} : { 'Retry-After': '1' }),
    })
    .end(JSON.stringify(body));
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise(resolve => server.close(resolve));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), closeWithinMs);
  await closed;
  clearTimeout(timer);
}
