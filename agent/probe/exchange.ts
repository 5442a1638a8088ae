import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { errorCode } from '#shared/error-code.ts';
import { version } from '../version.ts';
import { BodyReader, type ReadBody, type TakeBytes } from './body-reader.ts';
import type { Deadline } from './deadline.ts';
import { type Hop, isRedirect } from './redirect.ts';

// Importing node:http evaluates all its getters, which loads fetch: several MB that the agent does not use.
const { request: startRequest } = process.getBuiltinModule('node:http');

/** Largest response header section accepted. */
export const headerBytesMax = 65_536;
/** Other status codes are not those of HTTP. */
const [statusCodeMin, statusCodeMax] = [100, 599];

/** What was seen of a response, also if it breaks off. `statusCode` is null before its headers. */
export type Seen = { statusCode: number | null; firstByteMs: number | null; bytes: number };

/** The response to one request. `body` and `downloadMs` are null for a redirect to follow, whose body is not read. */
export type HttpResponse = {
  message: IncomingMessage;
  statusCode: number;
  firstByteMs: number;
  downloadMs: number | null;
  body: ReadBody | null;
};

/** The response ended early, is not valid HTTP or exceeds a limit. `code` is that of Node. */
export class ExchangeError extends Error {
  override name = 'ExchangeError';
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export type ExchangeOptions = {
  hop: Hop;
  /** What earlier redirects set; sent after the customer's own cookies. */
  cookies: string | null;
  socket: Socket;
  followRedirects: boolean;
  /** Where the memory of the body comes from; null if no assertion reads the body. */
  takeBytes: TakeBytes | null;
};

/**
 * Sends one request over a new connection and reads the response, noting in `seen` what there is of it. Always destroys
 * the socket. Rejects with ExchangeError, BodyError or DeadlineError.
 */
export function exchange(options: ExchangeOptions, deadline: Deadline, seen: Seen): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const { hop, socket } = options;
  const startedMs = performance.now();
  const request = startRequest({
    method: hop.method,
    path: hop.url.pathname + hop.url.search,
    headers: headersOf(hop, options.cookies),
    setHost: false,
    maxHeaderSize: headerBytesMax,
    createConnection: () => socket,
  });
  // Bounded by their bytes alone: any 64 KiB of headers are read.
  request.maxHeadersCount = 0;
  let reader: BodyReader | null = null;
  const fail = (error: Error) => {
    seen.bytes = reader?.bytes ?? 0;
    socket.destroy();
    reject(error);
  };
  deadline.onExpiry(fail);
  request.on('error', error => fail(new ExchangeError(errorCode(error) ?? 'EUNKNOWN')));
  request.on('upgrade', () => fail(new ExchangeError('HPE_UNEXPECTED_UPGRADE')));
  const onClose = () => fail(new ExchangeError('ECONNRESET'));
  request.on('close', onClose);
  request.on('response', message => {
    request.off('close', onClose);
    const firstByteMs = performance.now() - startedMs;
    const statusCode = message.statusCode ?? 0;
    seen.firstByteMs = firstByteMs;
    if (statusCode < statusCodeMin || statusCode > statusCodeMax) return fail(new ExchangeError('ESTATUS'));
    seen.statusCode = statusCode;
    if (options.followRedirects && isRedirect(statusCode) && message.headers.location !== undefined) {
      socket.destroy();
      return resolve({ message, statusCode, firstByteMs, downloadMs: null, body: null });
    }
    // Before node:http closes the socket gracefully: a shutdown and a TLS alert would cost time and serve nobody.
    message.prependListener('end', () => socket.destroy());
    reader = new BodyReader(message, options.takeBytes);
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

/** The customer's headers over the agent's defaults; `Connection` and `Content-Length` are always the agent's. */
function headersOf(hop: Hop, cookies: string | null): Record<string, string | number> {
  const headers: Record<string, string | number> = {
    Host: hop.url.host,
    'User-Agent': `upquorum/${version}`,
    Accept: '*/*',
    'Accept-Encoding': 'gzip, deflate, br, zstd',
  };
  for (const name in hop.headers) {
    const defaultName = defaultNames[name.toLowerCase()];
    if (defaultName !== undefined) delete headers[defaultName];
    headers[name] = hop.headers[name] ?? '';
  }
  if (cookies !== null) addCookies(headers, cookies);
  headers.Connection = 'close';
  if (hop.body !== null) headers['Content-Length'] = Buffer.byteLength(hop.body);
  else if (hop.method === 'POST' || hop.method === 'PUT' || hop.method === 'PATCH') headers['Content-Length'] = 0;
  return headers;
}

function addCookies(headers: Record<string, string | number>, cookies: string): void {
  const name = Object.keys(headers).find(candidate => candidate.toLowerCase() === 'cookie') ?? 'Cookie';
  headers[name] = headers[name] === undefined ? cookies : `${headers[name]}; ${cookies}`;
}

const defaultNames: Record<string, string> = {
  host: 'Host',
  'user-agent': 'User-Agent',
  accept: 'Accept',
  'accept-encoding': 'Accept-Encoding',
};
