import {
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type SessionOptions,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TestCertificate } from './certificate.ts';

export type Http2Behaviour = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, body: string) => void;

/** A server of HTTP/2 on loopback; with a certificate by TLS, without by prior knowledge. */
export type Http2Target = AsyncDisposable & { url: string; requests: { headers: IncomingHttpHeaders; body: string }[] };

export async function startHttp2Target(
  behaviour: Http2Behaviour = answer2(200, 'ok'),
  certificate: (TestCertificate & { allowHTTP1?: boolean }) | null = null,
  options: SessionOptions = {},
): Promise<Http2Target> {
  const server =
    certificate === null ? createServer(options) : (createSecureServer({ ...options, ...certificate }) as Http2Server);
  const sessions = new Set<ServerHttp2Session>();
  const requests: Http2Target['requests'] = [];
  server.on('session', session => {
    sessions.add(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      requests.push({ headers, body });
      behaviour(stream, headers, body);
    });
  });
  // Of those that `allowHTTP1` lets in.
  server.on('request', (request, response) => {
    if (request.httpVersion !== '2.0') response.end('by HTTP/1');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${certificate === null ? 'http://127.0.0.1' : 'https://localhost'}:${port}/`,
    requests,
    [Symbol.asyncDispose]: async () => {
      for (const session of sessions) session.destroy();
      await new Promise<void>(resolve => void server.close(() => resolve()));
    },
  };
}

export function answer2(status: number, body = '', headers: Record<string, string | string[]> = {}): Http2Behaviour {
  return stream => {
    stream.respond({ ':status': status, ...headers });
    stream.end(body);
  };
}
