import type { Socket } from 'node:net';
import type { ResponseWarning } from '#shared/check-result.ts';
import type { SpokenVersion } from '#shared/checks/vocabulary.ts';
import { errorCode } from '#shared/error-code.ts';
import type { Deadline } from '../deadline.ts';
import { ProbeRefusal } from '../probe-refusal.ts';
import { refusalOf } from '../proxy/http-connect.ts';
import { authorizationFor, type Forwarder, type ProxyServer } from '../proxy/proxy.ts';
import { type Hop, isRedirect } from '../redirect.ts';
import { BodyReader, type ReadBody, type TakeBytes } from './body-reader.ts';
import type { BodySample } from './body-sample.ts';
import { headersOf } from './request-headers.ts';
import { isField, type ResponseHead } from './response-head.ts';
import type { ResponseHeaders } from './response-headers.ts';
import { ResponseParser } from './response-parser.ts';

/** What was seen of a response, also if it breaks off. `statusCode` is null before its headers. */
export type Seen = {
  statusCode: number | null;
  version?: SpokenVersion;
  firstByteMs: number | null;
  bytes: number;
  warnings: readonly ResponseWarning[];
};

/** The response to one request. `body` and `downloadMs` are null for a redirect to follow, whose body is not read. */
export type HttpResponse = {
  headers: ResponseHeaders;
  statusCode: number;
  firstByteMs: number;
  downloadMs: number | null;
  body: ReadBody | null;
  sample: BodySample | null;
  /** When the last byte was received, by the monotonic clock: decoding it is not the target's time. */
  endedMs: number;
};

/** The response ended early, is not valid HTTP or exceeds a limit. `code` is like one of Node's. */
export class ExchangeError extends Error {
  override name = 'ExchangeError';
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** It was asked for HTTP/2, and did not agree or did not answer in it. */
export function noHttp2(): ProbeRefusal {
  return new ProbeRefusal('protocol_error', 'the server does not speak HTTP/2');
}

export type ExchangeOptions = {
  hop: Hop;
  /** What earlier redirects set; sent after the customer's own cookies. */
  cookies: string | null;
  socket: Socket;
  /** The proxy that the socket leads to, if it is to forward the request. */
  forwardedBy?: Forwarder | undefined;
  followRedirects: boolean;
  /** Where the memory of the body comes from; null if no assertion reads the body. */
  takeBytes: TakeBytes | null;
  /** Where the beginning of the body is read into besides, if anywhere. */
  sampleOf?: (head: Pick<ResponseHead, 'statusCode' | 'headers'>) => BodySample | null;
  /** When the event that is handled now was received, by the monotonic clock. */
  eventMs: () => number;
};

/**
 * Sends one request over a new connection and reads the response, noting in `seen` what there is of it. Always destroys
 * the socket. Rejects with ExchangeError, BodyError or DeadlineError, or with ProbeRefusal if a proxy wants other
 * credentials.
 */
export function exchange(options: ExchangeOptions, deadline: Deadline, seen: Seen): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const { hop, socket } = options;
  const startedMs = performance.now();
  let receivedMs = startedMs;
  let reader: BodyReader | null = null;
  let sample: BodySample | null = null;
  const fail = (error: Error) => {
    seen.bytes = reader?.bytes ?? 0;
    reader?.stop();
    socket.destroy();
    reject(error);
  };
  const onHead = ({ statusCode, version, headers }: ResponseHead) => {
    const firstByteMs = receivedMs - startedMs;
    seen.firstByteMs = firstByteMs;
    if (!isStatusCode(statusCode)) return fail(new ExchangeError('ESTATUS'));
    if (options.forwardedBy !== undefined && statusCode === 407) return fail(refusalOf(statusCode));
    seen.statusCode = statusCode;
    seen.version = version;
    if (options.followRedirects && isRedirect(statusCode) && headers.get('location') !== undefined) {
      socket.destroy();
      const nothing = { downloadMs: null, body: null, sample: null };
      return resolve({ headers, statusCode, firstByteMs, ...nothing, endedMs: receivedMs });
    }
    reader = new BodyReader(headers, options.takeBytes, socket);
    sample = options.sampleOf?.({ statusCode, headers }) ?? null;
    reader.body.then(body => {
      const downloadMs = receivedMs - startedMs - firstByteMs;
      resolve({ headers, statusCode, firstByteMs, downloadMs, body, sample, endedMs: receivedMs });
    }, fail);
  };
  const parser = new ResponseParser(hop.method === 'HEAD', {
    onHead,
    onBody: bytes => {
      sample?.push(bytes);
      reader?.push(bytes);
    },
    onChunk: lineBytes => reader?.countChunk(lineBytes),
    onEnd: () => {
      // Without a shutdown and a TLS alert, which would cost time and serve nobody.
      socket.destroy();
      reader?.end();
    },
  });
  seen.warnings = parser.warnings;
  const breakOff = (code: string) => {
    if (!parser.isDone) fail(new ExchangeError(code));
  };
  const attempt = (act: () => void) => {
    receivedMs = Math.max(startedMs, options.eventMs());
    try {
      act();
    } catch (error) {
      fail(new ExchangeError(errorCode(error) ?? 'EUNKNOWN'));
    }
  };
  deadline.onExpiry(fail);
  socket.on('data', bytes => attempt(() => parser.feed(bytes)));
  socket.on('end', () => attempt(() => parser.close()));
  socket.on('error', error => breakOff(errorCode(error) ?? 'EUNKNOWN'));
  socket.on('close', () => breakOff('ECONNRESET'));
  if (socket.destroyed) breakOff('ECONNRESET');
  else
    try {
      socket.write(requestBytes(options));
    } catch (error) {
      fail(error as Error);
    }
  return promise;
}

/** Other status codes are not those of HTTP. */
export function isStatusCode(statusCode: number): boolean {
  return statusCode >= 100 && statusCode <= 599;
}

/** Head and body of the request in one piece. Throws an Error for a header that no request can have. */
function requestBytes({ hop, cookies, forwardedBy }: ExchangeOptions): Buffer {
  const { origin, pathname, search } = hop.url;
  let head = `${hop.method} ${forwardedBy === undefined ? '' : origin}${pathname}${search} HTTP/1.1\r\n`;
  const headers = headersOf(hop, cookies);
  if (forwardedBy !== undefined) addProxyAuthorization(headers, forwardedBy.proxy);
  for (const name in headers) {
    const value = String(headers[name]);
    if (!isField(name, value)) throw new Error('a header of the request is invalid');
    head += `${name}: ${value}\r\n`;
  }
  const start = Buffer.from(`${head}\r\n`, 'latin1');
  return hop.body === null ? start : Buffer.concat([start, Buffer.from(hop.body)]);
}

/** A header of the monitor's is for the target, not for the proxy that is signed in at. */
function addProxyAuthorization(headers: Record<string, string | number>, proxy: ProxyServer): void {
  const authorization = authorizationFor(proxy);
  if (authorization === null) return;
  for (const name of Object.keys(headers)) if (name.toLowerCase() === 'proxy-authorization') delete headers[name];
  headers['Proxy-Authorization'] = authorization;
}
