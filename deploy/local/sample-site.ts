import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

/** What the sample project watches beside websites: on this host, as long as `npm start` runs. */
export type SampleSite = { ports: SamplePorts; close(): void };
export type SamplePorts = { grpc: number; websocket: number };

/** A HealthCheckResponse of gRPC that says `SERVING`. */
const serving = Buffer.from([0, 0, 0, 0, 2, 8, 1]);

/** Listens on the ports of before if they are free, else on others: then the monitors of before go down. */
export async function openSampleSite(before: SamplePorts | undefined): Promise<SampleSite> {
  const grpc = await listen(before?.grpc ?? 0, openHealthService);
  const websocket = await listen(before?.websocket ?? 0, openEcho);
  return {
    ports: { grpc: grpc.port, websocket: websocket.port },
    close: () => {
      grpc.close();
      websocket.close();
    },
  };
}

type Listening = { port: number; close(): void };
type Open = (port: number) => Promise<Listening>;

function listen(port: number, open: Open): Promise<Listening> {
  return open(port).catch(error => {
    if (port === 0) throw error;
    return open(0);
  });
}

async function openHealthService(port: number): Promise<Listening> {
  const server = createServer();
  server.on('session', session => session.on('error', () => session.destroy()));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (headers[':method'] === 'GET') return answerPage(stream);
    const isHealth = headers[':path'] === '/grpc.health.v1.Health/Check';
    const head = { ':status': 200, 'content-type': 'application/grpc' };
    if (!isHealth) return stream.respond({ ...head, 'grpc-status': '12' }, { endStream: true });
    stream.respond(head, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(serving);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

/** A page by HTTP/2. */
function answerPage(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': 'text/plain' });
  stream.end('hello\n');
}

async function openEcho(port: number): Promise<Listening> {
  const server = new WebSocketServer({ host: '127.0.0.1', port, maxPayload: 4096, perMessageDeflate: false });
  server.on('connection', websocket => {
    websocket.on('error', () => undefined);
    websocket.on('message', (data, isBinary) => websocket.send(data, { binary: isBinary }));
  });
  await once(server, 'listening');
  server.on('error', () => undefined);
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}
