import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import { errorCode } from '#shared/error-code.ts';
import type { Deadline } from '../deadline.ts';
import { type Hop, isRedirect } from '../redirect.ts';
import { BodyReader, framingBytesMin, wireBytesMax } from './body-reader.ts';
import type { BodySample } from './body-sample.ts';
import {
  ExchangeError,
  type ExchangeOptions,
  type HttpResponse,
  isStatusCode,
  noHttp2,
  type Seen,
} from './exchange.ts';
import { headersOf } from './request-headers.ts';
import { isField } from './response-head.ts';
import { ResponseHeaders } from './response-headers.ts';
import { headerBytesMax } from './response-parser.ts';

/** What the server may have on its way to us: with 64 KiB a slow way would count as a slow server. */
const windowBytes = 1_048_576;
/** HTTP/2 counts 32 bytes more for each field. Beyond it the stream is reset. */
const headerListMax = 4 * headerBytesMax;
/** Frames without content cost time as well, and no event says that they came: the bytes are looked at. */
const socketBytesMax = 2 * wireBytesMax;
const lookMs = 100;

/**
 * Sends one request by HTTP/2 over a new connection and reads the response, noting in `seen` what there is of it, as
 * `exchange` does by HTTP/1.1. No push is accepted. Always destroys the socket. Rejects with ExchangeError, BodyError,
 * ProbeRefusal or DeadlineError.
 */
export function exchangeByHttp2(options: ExchangeOptions, deadline: Deadline, seen: Seen): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const { hop, socket } = options;
  const startedMs = performance.now();
  let receivedMs = startedMs;
  let firstByteMs = 0;
  let reader: BodyReader | null = null;
  let sample: BodySample | null = null;
  let session: ClientHttp2Session | null = null;
  let hasSpoken = false;
  let isDone = false;
  const end = () => {
    isDone = true;
    clearInterval(looking);
    session?.destroy();
    socket.destroy();
  };
  const fail = (error: Error) => {
    seen.bytes = reader?.bytes ?? 0;
    reader?.stop();
    end();
    reject(error);
  };
  const looking = setInterval(() => {
    if (socket.bytesRead > socketBytesMax) fail(new ExchangeError('EFRAMES'));
  }, lookMs);
  const take = () => {
    receivedMs = Math.max(startedMs, options.eventMs());
  };
  const onHead = (stream: ClientHttp2Stream, statusCode: number, headers: ResponseHeaders | null) => {
    take();
    firstByteMs = receivedMs - startedMs;
    seen.firstByteMs = firstByteMs;
    if (headers === null) return fail(new ExchangeError('HPE_HEADER_OVERFLOW'));
    if (!isStatusCode(statusCode)) return fail(new ExchangeError('ESTATUS'));
    seen.statusCode = statusCode;
    seen.version = '2';
    if (options.followRedirects && isRedirect(statusCode) && headers.get('location') !== undefined) {
      end();
      const nothing = { downloadMs: null, body: null, sample: null };
      return resolve({ headers, statusCode, firstByteMs, ...nothing, endedMs: receivedMs });
    }
    reader = new BodyReader(headers, options.takeBytes, {
      pause: () => void stream.pause(),
      resume: () => void stream.resume(),
    });
    sample = options.sampleOf?.({ statusCode, headers }) ?? null;
    reader.body.then(body => {
      const downloadMs = receivedMs - startedMs - firstByteMs;
      resolve({ headers, statusCode, firstByteMs, downloadMs, body, sample, endedMs: receivedMs });
    }, fail);
  };
  const breakOff = (error: unknown) => {
    if (isDone) return;
    const code = errorCode(error) ?? 'ECONNRESET';
    if (code === 'ERR_HTTP2_ERROR' && !hasSpoken) return fail(noHttp2());
    fail(new ExchangeError(isReset(code) ? 'ECONNRESET' : code));
  };
  deadline.onExpiry(fail);
  if (socket.destroyed) fail(new ExchangeError('ECONNRESET'));
  else
    try {
      session = openSession(options);
      session.on('remoteSettings', () => {
        hasSpoken = true;
      });
      session.on('error', breakOff);
      session.on('close', breakOff);
      const stream = session.request(fieldsOf(hop, options.cookies), { endStream: hop.body === null });
      stream.on('error', breakOff);
      stream.on('response', (headers, _, raw) => onHead(stream, Number(headers[':status']), responseHeaders(raw)));
      stream.on('data', (bytes: Buffer) => {
        take();
        if (bytes.length < framingBytesMin) reader?.countChunk(framingBytesMin);
        sample?.push(bytes);
        reader?.push(bytes);
      });
      stream.on('end', () => {
        if (stream.rstCode !== 0 || reader === null) return breakOff(null);
        take();
        end();
        reader.end();
      });
      if (hop.body !== null) stream.end(hop.body);
    } catch (error) {
      fail(error as Error);
    }
  return promise;
}

function openSession({ hop, socket }: ExchangeOptions): ClientHttp2Session {
  const session = connect(hop.url, {
    createConnection: () => socket,
    maxHeaderListPairs: headerBytesMax / 8,
    settings: { enablePush: false, initialWindowSize: windowBytes, maxHeaderListSize: headerListMax },
  });
  session.once('connect', () => session.setLocalWindowSize(windowBytes));
  return session;
}

/** The server closed the stream or said that it goes away. */
function isReset(code: string): boolean {
  return code === 'ERR_HTTP2_STREAM_ERROR' || code === 'ERR_HTTP2_SESSION_ERROR' || code === 'ERR_HTTP2_STREAM_CANCEL';
}

/** The fields of the response without those of HTTP/2 itself; null if they are more than 64 KiB. */
function responseHeaders(raw: readonly string[]): ResponseHeaders | null {
  const headers = new ResponseHeaders();
  let bytes = 0;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = [raw[index], raw[index + 1]];
    bytes += name.length + value.length;
    if (!name.startsWith(':')) headers.add(name.toLowerCase(), value);
  }
  return bytes > headerBytesMax ? null : headers;
}

/** What HTTP/2 has no place for: it concerns the connection, or is a field of another name. */
const left = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'te',
]);

/** The same headers as by HTTP/1.1. Throws an Error for one that no request can have. */
function fieldsOf(hop: Hop, cookies: string | null): OutgoingHttpHeaders {
  const headers = headersOf(hop, cookies);
  const host = Object.keys(headers).find(name => name.toLowerCase() === 'host') ?? 'Host';
  const fields: OutgoingHttpHeaders = {
    ':method': hop.method,
    ':scheme': hop.url.protocol.slice(0, -1),
    ':authority': String(headers[host] ?? hop.url.host),
    ':path': `${hop.url.pathname}${hop.url.search}`,
  };
  for (const [name, value] of Object.entries(headers)) {
    if (!isField(name, String(value))) throw new Error('a header of the request is invalid');
    if (!left.has(name.toLowerCase())) fields[name.toLowerCase()] = String(value);
  }
  return fields;
}
