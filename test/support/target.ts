import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createGzip, gzipSync } from 'node:zlib';
import type { TestCertificate } from './certificate.ts';

/** How a target responds to one request. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server on loopback whose behaviour can be changed at any time. */
export type Target = AsyncDisposable & {
  url: string;
  port: number;
  behaviour: Behaviour;
  requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  /** The most requests in progress at the same time so far. */
  concurrentMax: number;
  /** Resolves when `count` requests have arrived. */
  requested(count: number): Promise<void>;
};

type Place = { port: number; host: string };
const anywhere: Place = { port: 0, host: '127.0.0.1' };

/** Starts a target; with a certificate it speaks HTTPS. */
export async function startTarget(
  behaviour: Behaviour = ok(),
  certificate?: TestCertificate & { ecdhCurve?: string },
  place: Place = anywhere,
): Promise<Target> {
  let running = 0;
  const waiters: { count: number; resolve: () => void }[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    target.concurrentMax = Math.max(target.concurrentMax, ++running);
    response.once('close', () => running--);
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      target.requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      for (const waiter of waiters) if (target.requests.length >= waiter.count) waiter.resolve();
      target.behaviour(request, response);
    });
  };
  const server = certificate === undefined ? createHttpServer(listener) : createHttpsServer(certificate, listener);
  const port = await listen(server, place);
  const target: Target = {
    url: `${certificate === undefined ? 'http://127.0.0.1' : 'https://localhost'}:${port}/`,
    port,
    behaviour,
    requests: [],
    concurrentMax: 0,
    requested: count =>
      new Promise(resolve => {
        if (target.requests.length >= count) resolve();
        else waiters.push({ count, resolve });
      }),
    [Symbol.asyncDispose]: () => close(server, () => server.closeAllConnections()),
  };
  return target;
}

/** A TCP server on loopback; the caller decides what happens on each connection. */
export async function startRawTarget(
  talk: (socket: Socket) => void,
  place: Place = anywhere,
): Promise<AsyncDisposable & { url: string; port: number }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    talk(socket);
  });
  const port = await listen(server, place);
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return { url: `http://127.0.0.1:${port}/`, port, [Symbol.asyncDispose]: () => close(server, closeAll) };
}

export function ok(
  body = '{"status":"ok","items":[{"id":1},{"id":2}]}',
  headers: Record<string, string> = {},
): Behaviour {
  return answer(200, body, { 'content-type': 'application/json', ...headers });
}

export function answer(status: number, body = '', headers: Record<string, string | string[]> = {}): Behaviour {
  return (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

export function redirect(status: number, location: string): Behaviour {
  return answer(status, '', { location });
}

export function delayed(ms: number, then: Behaviour = ok()): Behaviour {
  return (request, response) => {
    const timer = setTimeout(() => then(request, response), ms);
    response.on('close', () => clearTimeout(timer));
  };
}

/** Never responds. */
export function silent(): Behaviour {
  return () => undefined;
}

export function reset(): Behaviour {
  return request => request.socket.resetAndDestroy();
}

/** Sends one byte of the body every `everyMs`, endlessly. */
export function dripping(everyMs: number): Behaviour {
  return (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), everyMs);
    response.on('close', () => clearInterval(timer));
  };
}

/** An endless body, as fast as the client reads it. */
export function endless(): Behaviour {
  return (_, response) => {
    const chunk = Buffer.alloc(65_536, 'a');
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  };
}

/** A small gzip body that decompresses to the given number of MiB. */
export function gzipBomb(mebibytes: number): Behaviour {
  return (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    const gzip = createGzip();
    gzip.pipe(response);
    response.on('close', () => gzip.destroy());
    const chunk = Buffer.alloc(1_048_576);
    let left = mebibytes;
    const more = () => {
      if (left-- > 0 && !gzip.destroyed) gzip.write(chunk, more);
      else gzip.end();
    };
    more();
  };
}

export function gzipped(body: string): Behaviour {
  return (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync(body));
  };
}

async function listen(server: Server, { port, host } = anywhere): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function close(server: Server, closeConnections: () => void): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()));
  closeConnections();
  await closed;
}
