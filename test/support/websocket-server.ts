import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';

type Options = Pick<ServerOptions, 'handleProtocols' | 'verifyClient'> & {
  tls?: { key: string; cert: string };
  headers?: readonly string[];
};

/** A server of WebSocket on this host that does this with each connection. */
export async function startWebsocketServer(
  talk: (websocket: WebSocket, request: IncomingMessage) => void,
  { tls, headers = [], ...options }: Options = {},
) {
  const server = tls === undefined ? createServer() : createSecureServer(tls);
  const sockets = new WebSocketServer({ server, ...options });
  sockets.on('headers', own => own.push(...headers));
  sockets.on('connection', (websocket, request) => {
    websocket.on('error', () => undefined);
    talk(websocket, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
