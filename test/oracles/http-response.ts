import { request as startRequest } from 'node:http';
import { Duplex } from 'node:stream';

/** A response as it was read, bytes as Latin-1; null if it is not valid or ended early, or its code is below 100. */
export type ReadResponse = { statusCode: number; headers: Record<string, string[]>; body: string } | null;

/** Reads a response with node:http. The connection is closed after the last chunk. */
export function readByNode(method: string, chunks: readonly Buffer[]): Promise<ReadResponse> {
  const { promise, resolve } = Promise.withResolvers<ReadResponse>();
  const connection = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const request = startRequest({
    method,
    createConnection: () => connection,
    maxHeaderSize: 65_536,
    headers: { Connection: 'close' },
  });
  request.maxHeadersCount = 0;
  const fail = () => resolve(null);
  let isAnswered = false;
  request.on('error', fail);
  request.on('upgrade', fail);
  request.on('close', () => {
    if (!isAnswered) fail();
  });
  request.on('response', message => {
    isAnswered = true;
    const body: Buffer[] = [];
    message.on('data', (chunk: Buffer) => body.push(chunk));
    message.on('error', fail);
    message.on('end', () => {
      const headers = Object.fromEntries(
        Object.entries(message.headersDistinct).map(([name, values]) => [name, values ?? []]),
      );
      const statusCode = message.statusCode ?? 0;
      if (statusCode < 100) return fail();
      resolve({ statusCode, headers, body: Buffer.concat(body).toString('latin1') });
    });
  });
  request.end();
  setImmediate(() => {
    for (const chunk of chunks) connection.push(chunk);
    connection.push(null);
  });
  return promise.finally(() => connection.destroy());
}
