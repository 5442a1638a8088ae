import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { newId } from '#shared/ids.ts';
import { type AddressRange, parseRange } from '#shared/network/guard.ts';
import type { UpgradeHandler } from '../monitoring/agents/upgrade.ts';
import { type ConnectionLimits, Connections } from '../platform/http/limits/connections.ts';
import { answerNodeErrors, closeAfter, endsDoubtfully, namesOneHost } from '../platform/http/middleware/node-errors.ts';
import { awaySeconds, Problem, problemBody } from '../platform/http/problem.ts';
import type { Gatekeeper } from '../publishing/status-pages/gate/gatekeeper.ts';
import type { OwnHosts } from '../publishing/status-pages/hosts/own-host.ts';
import { PageHeaders } from '../publishing/status-pages/serve/page-headers.ts';
import type { PublishedPages } from '../publishing/status-pages/serve/published-pages.ts';
import { servePublished } from '../publishing/status-pages/serve/serve.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The listening server. Until `open`, it serves published pages alone: they need no database. */
export type HttpServer = {
  port: number;
  /** Who takes upgrade requests from now on; until then their sockets are closed. */
  onUpgrade(handler: UpgradeHandler): void;
  /** Serves everything else from now on. */
  open(answer: Answer): void;
  /** Stops listening and lets open requests finish, for at most five seconds. Idempotent. */
  close(): Promise<void>;
};

const closeWithinMs = 5000;
/** They carry everybody: a proxy on this machine, tests. */
const loopback = ['127.0.0.0/8', '::1/128'].map(parseRange).filter(range => range !== null);
const connectionLimits: ConnectionLimits = { all: 10_000, perAddress: 500, exempt: loopback };
/** Longer than the longest report takes, and than proxies keep idle connections for reuse (60 s by default). */
const idleMsDefault = 75_000;
/** Requests that one connection may have sent ahead of their answers. */
const inFlightMax = 32;

/** `trustedProxies` may open any number of connections, like this machine. */
type ServerOptions = {
  idleMs?: number;
  trustedProxies?: readonly AddressRange[];
  limits?: Partial<ConnectionLimits>;
  /** Answers for private pages; without one they do not exist. */
  gatekeeper?: Pick<Gatekeeper, 'serve'>;
  /** Serves pages at domains of their own; without it all hosts are the same. */
  ownHosts?: Pick<OwnHosts, 'serve' | 'refusesUpgrade'>;
};

/**
 * Throws if the port is already in use. A socket on which nothing moves for `idleMs`, in either direction, is closed:
 * also one whose client does not read its answer.
 */
export async function openHttpServer(
  address: { host: string; port: number; baseUrl: string },
  pages: PublishedPages,
  { idleMs = idleMsDefault, trustedProxies = [], limits = {}, gatekeeper, ownHosts }: ServerOptions = {},
): Promise<HttpServer> {
  const inFlight = new InFlight();
  const defaults = defaultHeaders(address.baseUrl);
  const serving = { headers: new PageHeaders(defaults), homeOf: pages.hosts.homes(address.baseUrl) };
  let closed: Promise<void> | null = null;
  let answer: Answer = (request, response) => answerUnavailable(request, response, address.baseUrl);
  const server = createServer(
    {
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      // A proxy that reuses a connection just as it is closed here answers 502.
      keepAliveTimeout: idleMs,
      maxHeaderSize: 16_384,
      // Node's own answer to a missing Host has no body; createApp refuses it.
      requireHostHeader: false,
      // Some clients offer h2c with each request: that is an ordinary request.
      shouldUpgradeCallback: request => request.headers.upgrade?.toLowerCase() === 'websocket',
    },
    (request, response) => {
      if (!inFlight.admit(request.socket, response)) return;
      if (endsDoubtfully(request))
        return void server.emit('clientError', new Error('chunked HTTP/1.0'), request.socket);
      // Of several hosts a cache in front may have read another one: createApp refuses them, before it reads a page.
      const isOfOneHost = namesOneHost(request);
      const outcome = (isOfOneHost && ownHosts?.serve(request, response)) || { type: 'elsewhere' };
      if (outcome.type === 'answered') return;
      if (outcome.type === 'elsewhere' && isOfOneHost) {
        if (gatekeeper?.serve(request, response)) return;
        if (servePublished(pages, serving, request, response)) return;
      }
      for (const [name, value] of Object.entries(outcome.type === 'form' ? outcome.defaults : defaults))
        response.setHeader(name, value);
      void answer(request, response);
    },
  );
  let upgrade: UpgradeHandler = (_, socket) => socket.destroy();
  // Agents have sockets of their own, as many as there are agents: they do not count.
  const exempt = [...connectionLimits.exempt, ...trustedProxies];
  const connections = new Connections({ ...connectionLimits, exempt, ...limits });
  server.on('connection', socket => {
    if (!connections.admit(socket, socket.remoteAddress ?? '')) return socket.destroy();
    socket.once('close', () => connections.release(socket));
  });
  server.on('upgrade', (request, socket, head) => {
    if (!namesOneHost(request)) return closeAfter(socket, 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    if (ownHosts?.refusesUpgrade(request))
      return closeAfter(socket, 'HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
    connections.release(socket);
    // Node has taken its own listener away: a reset would end the process.
    socket.on('error', () => socket.destroy());
    upgrade(request, socket, head);
  });
  server.setTimeout(idleMs);
  answerNodeErrors(server, address.baseUrl);
  server.listen(address.port, address.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    onUpgrade: handler => {
      upgrade = handler;
    },
    open: handler => {
      answer = handler;
    },
    close: () => {
      closed ??= closeServer(server);
      return closed;
    },
  };
}

/** Of every answer that does not say otherwise: nobody keeps it, and if a browser shows it, nothing in it runs. */
export function defaultHeaders(baseUrl: string): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    ...(baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}

/** Answers under way by connection. Node hands over every request of a read at once, however many were pipelined. */
class InFlight {
  readonly #counts = new WeakMap<Socket, { count: number; release: () => void }>();

  /** False if the connection has too many, and is closed for it, or if its last answer is written. */
  admit(socket: Socket, response: ServerResponse): boolean {
    if (socket.destroyed || socket.writableEnded) return false;
    const own = this.#counts.get(socket) ?? this.#add(socket);
    own.count += 1;
    if (own.count > inFlightMax) {
      socket.destroy();
      return false;
    }
    response.on('close', own.release);
    return true;
  }

  #add(socket: Socket) {
    const own = {
      count: 0,
      release: () => {
        own.count -= 1;
      },
    };
    this.#counts.set(socket, own);
    return own;
  }
}

/** The database has not answered since the start: only the process itself is well. */
function answerUnavailable(request: IncomingMessage, response: ServerResponse, baseUrl: string): void {
  const requestId = newId('req');
  const path = (request.url ?? '').split('?')[0] ?? '';
  const problem = new Problem('unavailable', { retryAfter: awaySeconds });
  const alive = path === '/healthz';
  const body = alive ? { status: 'ok' } : problemBody(problem, { baseUrl, path, requestId });
  response
    .writeHead(alive ? 200 : 503, {
      'Content-Type': alive ? 'application/json' : 'application/problem+json',
      'X-Request-Id': requestId,
      ...(alive ? {} : { 'Retry-After': awaySeconds }),
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
