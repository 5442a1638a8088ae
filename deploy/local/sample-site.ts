import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import packet from 'dns-packet';
import { WebSocketServer } from 'ws';
import type { LocalCertificate } from './certificate.ts';

/** What the sample project watches beside websites: on this host, as long as `npm start` runs. */
export type SampleSite = { ports: SamplePorts; close(): void };
export type SamplePorts = { grpc: number; websocket: number; dns?: number; tls?: number };

/** The only name that the name server of the sample project knows. */
export const sampleName = 'sample.test';

/** The code of an answer that a name is unknown. */
const nxdomain = 3;
/** A HealthCheckResponse of gRPC that says `SERVING`. */
const serving = Buffer.from([0, 0, 0, 0, 2, 8, 1]);

/**
 * Listens on the ports of before if they are free, else on others: then the monitors of before go down. Without a
 * certificate nothing is served by TLS alone.
 */
export async function openSampleSite(
  before: SamplePorts | undefined,
  certificate: LocalCertificate | null = null,
): Promise<SampleSite> {
  const grpc = await listen(before?.grpc ?? 0, openHealthService);
  const websocket = await listen(before?.websocket ?? 0, openEcho);
  const dns = await listen(before?.dns ?? 0, openNameServer);
  const tls = certificate === null ? null : await listen(before?.tls ?? 0, port => openTls(port, certificate));
  return {
    ports: {
      grpc: grpc.port,
      websocket: websocket.port,
      dns: dns.port,
      ...(tls === null ? {} : { tls: tls.port }),
    },
    close: () => {
      for (const each of [grpc, websocket, dns, tls]) each?.close();
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

/** A name server that knows one name, which is this machine. */
async function openNameServer(port: number): Promise<Listening> {
  const socket = createSocket('udp4');
  socket.on('message', (bytes, { port: from, address }) => {
    const answer = answerTo(bytes);
    if (answer !== null) socket.send(answer, from, address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('error', () => undefined);
  socket.unref();
  return { port: socket.address().port, close: () => socket.close() };
}

/** Null to what is no query. */
function answerTo(bytes: Buffer): Buffer | null {
  try {
    const { id = 0, questions: [question] = [] } = packet.decode(bytes);
    if (question === undefined) return null;
    const isKnown = question.name.toLowerCase() === sampleName;
    const answers = isKnown && question.type === 'A' ? [{ ...question, type: 'A' as const, data: '127.0.0.1' }] : [];
    return packet.encode({ id, type: 'response', flags: isKnown ? 0 : nxdomain, questions: [question], answers });
  } catch {
    return null;
  }
}

async function openTls(port: number, { key, cert }: LocalCertificate): Promise<Listening> {
  const server = createTlsServer({ key, cert }, socket => {
    socket.on('error', () => undefined);
    socket.end();
  });
  server.on('tlsClientError', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}
