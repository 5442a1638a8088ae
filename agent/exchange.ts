import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { BodyReader, type ReadBody } from './body-reader.ts';
import type { Deadline } from './deadline.ts';
import { type Hop, isRedirect } from './redirect.ts';
import { version } from './version.ts';

// Importing node:http reads all its getters and so loads fetch and all, some MB nobody here uses.
const { request: startRequest } = process.getBuiltinModule('node:http');

export const headerBytesMax = 65_536;

/** The answer to one request. `body` is null for a redirect that is followed: it is not read. */
export type Answer = {
  message: IncomingMessage;
  statusCode: number;
  firstByteMs: number;
  downloadMs: number | null;
  body: ReadBody | null;
};

/** An answer that broke off, broke the rules of HTTP or passed a limit. */
export class ExchangeError extends Error {
  override name = 'ExchangeError';
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export type ExchangeOptions = { hop: Hop; socket: Socket; followRedirects: boolean; wantsText: boolean };

/** Sends one request over a fresh connection and reads the answer. Throws ExchangeError or DeadlineError. */
export function exchange(options: ExchangeOptions, deadline: Deadline): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { hop, socket } = options;
  const startedMs = performance.now();
  const request = startRequest({
    method: hop.method,
    path: hop.url.pathname + hop.url.search,
    headers: headersOf(hop),
    setHost: false,
    maxHeaderSize: headerBytesMax,
    createConnection: () => socket,
  });
  const fail = (error: Error) => {
    socket.destroy();
    reject(error);
  };
  deadline.onExpiry(fail);
  request.on('error', error => fail(new ExchangeError(codeOf(error))));
  request.on('upgrade', () => fail(new ExchangeError('HPE_UNEXPECTED_UPGRADE')));
  const closed = () => fail(new ExchangeError('ECONNRESET'));
  request.on('close', closed);
  request.on('response', message => {
    request.off('close', closed);
    const firstByteMs = performance.now() - startedMs;
    const statusCode = message.statusCode ?? 0;
    if (options.followRedirects && isRedirect(statusCode) && message.headers.location !== undefined) {
      socket.destroy();
      return resolve({ message, statusCode, firstByteMs, downloadMs: null, body: null });
    }
    // Before node:http ends the socket in its polite and costly way: a shutdown and an alert nobody waits for.
    message.prependListener('end', () => socket.destroy());
    const reader = new BodyReader(message, options.wantsText);
    reader.read().then(body => {
      const downloadMs = performance.now() - startedMs - firstByteMs;
      resolve({ message, statusCode, firstByteMs, downloadMs, body });
    }, fail);
  });
  send(request, hop.body);
  return promise;
}

function send(request: ClientRequest, body: string | null): void {
  if (body === null) request.end();
  else request.end(body);
}

/** What the agent says of itself, unless the customer says otherwise. */
function headersOf(hop: Hop): Record<string, string | number> {
  const headers: Record<string, string | number> = {
    Host: hop.url.host,
    'User-Agent': `upquorum/${version}`,
    Accept: '*/*',
    'Accept-Encoding': 'gzip, deflate, br, zstd',
  };
  for (const name in hop.headers) {
    const own = ownNames[name.toLowerCase()];
    if (own !== undefined) delete headers[own];
    headers[name] = hop.headers[name] ?? '';
  }
  headers.Connection = 'close';
  if (hop.body !== null) headers['Content-Length'] = Buffer.byteLength(hop.body);
  else if (hop.method === 'POST' || hop.method === 'PUT' || hop.method === 'PATCH') headers['Content-Length'] = 0;
  return headers;
}

const ownNames: Record<string, string> = {
  host: 'Host',
  'user-agent': 'User-Agent',
  accept: 'Accept',
  'accept-encoding': 'Accept-Encoding',
};

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : 'EUNKNOWN';
}
