import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '#shared/ids.ts';
import { Problem, problemBody } from '../problem.ts';
import type { ProblemCode } from '../problem-codes.ts';

/** Answers errors that Node detects before Koa sees the request, in the same shape. Lives as long as the server. */
export function answerNodeErrors(server: Server, baseUrl: string): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    socket.end(rawAnswer(codeOf(error), baseUrl));
  });
  // Node closes without a word: this is no proxy.
  server.on('connect', (_, socket) => closeAfter(socket, rawAnswer('method_not_allowed', baseUrl)));
  // Node would answer 417 without a body; RFC 9110 lets a server ignore an unknown expectation.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/**
 * Sends the last answer on a socket that Node has handed over. A peer that never closes its side would keep the
 * descriptor for ever.
 */
export function closeAfter(socket: Duplex, answer: string): void {
  socket.on('error', () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  socket.end(answer);
}

/** Whether a request names its host once. Only before HTTP/1.1 it need not name one (RFC 9112, 3.2). */
export function namesOneHost({
  rawHeaders,
  httpVersion,
}: Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 || (count === 0 && httpVersion !== '1.1');
}

/**
 * Whether proxies may disagree on where a request ends: HTTP/1.0 knows no chunks, so that what is one body here is the
 * next request to others (RFC 9112, 6.1).
 */
export function endsDoubtfully(request: Pick<IncomingMessage, 'headers' | 'httpVersion'>): boolean {
  return request.httpVersion !== '1.1' && request.headers['transfer-encoding'] !== undefined;
}

function codeOf(error: NodeJS.ErrnoException): ProblemCode {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return 'invalid_parameter';
}

function rawAnswer(code: ProblemCode, baseUrl: string): string {
  const requestId = newId('req');
  const problem = new Problem(
    code,
    code === 'invalid_parameter' ? { detail: 'the request is not valid HTTP/1.1' } : {},
  );
  const body = JSON.stringify(problemBody(problem, { baseUrl, path: '', requestId }));
  return [
    `HTTP/1.1 ${problem.status} ${problem.code}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    // What CONNECT asks for, a host and port, takes no method.
    ...(code === 'method_not_allowed' ? ['Allow: '] : []),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
