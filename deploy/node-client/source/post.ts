import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);
const compressedFrom = 1024;
const answerMax = 1024 * 1024;

/** How the server answered. `retryAfterMs` is 0 if it does not say. */
export type PostAnswer = { status: number; retryAfterMs: number; text: string };

/**
 * Sends JSON, and rejects if there is no whole answer in time. `onSocket` gets the connection: one that nobody refers
 * to does not keep the process.
 */
export async function post(
  url: URL,
  token: string,
  json: string,
  { signal, onSocket }: { signal: AbortSignal; onSocket: (socket: Socket) => void },
): Promise<PostAnswer> {
  const isCompressed = Buffer.byteLength(json) > compressedFrom;
  const body = isCompressed ? await compress(json) : Buffer.from(json);
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
  };
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = send(url, { method: 'POST', headers, signal }, response => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > answerMax) request.destroy(new Error('the answer is too long'));
        else chunks.push(chunk);
      });
      response.on('end', () => {
        const { statusCode: status = 0, headers: answered } = response;
        resolve({
          status,
          retryAfterMs: retryAfterOf(answered['retry-after']),
          text: Buffer.concat(chunks).toString(),
        });
      });
    });
    request.on('socket', onSocket).on('error', reject).end(body);
  });
}

function retryAfterOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const ms = Number(text) * 1000 || Date.parse(text) - Date.now() || 0;
  return Math.max(ms, 0);
}
