import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { ServingStatus } from '#shared/checks/vocabulary.ts';
import { errorCode } from '#shared/error-code.ts';
import { version } from '../../../version.ts';
import type { Deadline } from '../../deadline.ts';
import { ExchangeError } from '../../http/exchange.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';
import { decodeResponse, encodeRequest } from './health-message.ts';
import { codeOf } from './status-codes.ts';

/** An answer has some ten bytes. */
const answerBytesMax = 4096;

export type HealthCall = {
  /** Host and port. */
  authority: string;
  secure: boolean;
  service: string;
  metadata: Readonly<Record<string, string>>;
};

type Events = {
  /** When the event that is handled now was received, by the monotonic clock. */
  eventMs: () => number;
  /** The answer began, with this status of HTTP. */
  onHead: (statusCode: number) => void;
};

/** An answer of gRPC; `status` is null without a message, or with one of a newer version of the protocol. */
export type HealthAnswer = {
  status: ServingStatus | null;
  code: number;
  message: string;
  bytes: number;
  endedMs: number;
};

/**
 * Asks for the health of a service over a connection that there is, by HTTP/2 and one call. Always destroys the
 * socket. Rejects with ProbeRefusal, ExchangeError or DeadlineError.
 */
export function callHealth(
  socket: Socket,
  call: HealthCall,
  { eventMs, onHead }: Events,
  deadline: Deadline,
): Promise<HealthAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HealthAnswer>();
  const session = openSession(socket);
  const end = () => {
    session.destroy();
    socket.destroy();
  };
  const fail = (error: Error) => {
    end();
    reject(error);
  };
  const breakOff = (error: unknown) => fail(failureOf(error));
  deadline.onExpiry(fail);
  session.on('error', breakOff);
  session.on('close', () => breakOff(null));
  try {
    const stream = session.request(headersOf(call, deadline), { endStream: false });
    collect(stream, {
      onHead,
      onFault: words => fail(new ProbeRefusal('protocol_error', words)),
      onEnd: (bytes, fields) => {
        const answer = answerOf(bytes, fields);
        if (answer === null) return fail(new ProbeRefusal('protocol_error', 'the answer is not valid gRPC'));
        resolve({ ...answer, bytes: bytes.length, endedMs: eventMs() });
        end();
      },
    });
    stream.on('error', breakOff);
    stream.on('close', () => breakOff(null));
    stream.end(encodeRequest(call.service));
  } catch (error) {
    fail(error as Error);
  }
  return promise;
}

/** Without pushes, and with little memory: a server has little to say. */
function openSession(socket: Socket): ClientHttp2Session {
  return connect('http://target', {
    createConnection: () => socket,
    settings: { enablePush: false, maxHeaderListSize: 65_535 },
    maxSessionMemory: 1,
    maxSettings: 16,
  });
}

function headersOf({ authority, secure, metadata }: HealthCall, { leftMs }: Deadline): Record<string, string> {
  return {
    ':method': 'POST',
    ':scheme': secure ? 'https' : 'http',
    ':path': '/grpc.health.v1.Health/Check',
    ':authority': authority,
    'user-agent': `upquorum/${version}`,
    ...metadata,
    te: 'trailers',
    'content-type': 'application/grpc',
    'grpc-timeout': `${Math.max(1, Math.floor(leftMs))}m`,
  };
}

type Collector = {
  onHead: (statusCode: number) => void;
  onFault: (words: string) => void;
  onEnd: (bytes: Buffer, fields: IncomingHttpHeaders) => void;
};

/** Collects what comes, with the fields that end it: trailers, or those of an answer that has nothing else. */
function collect(stream: ClientHttp2Stream, { onHead, onFault, onEnd }: Collector): void {
  const parts: Buffer[] = [];
  let [length, isOver] = [0, false];
  let fields: IncomingHttpHeaders = {};
  const fault = (words: string) => {
    isOver = true;
    onFault(words);
  };
  stream.on('response', headers => {
    const statusCode = headers[':status'] ?? 0;
    onHead(statusCode);
    if (statusCode !== 200) fault(`the answer has status ${statusCode} and is not gRPC`);
    else if (!/^application\/grpc(?:$|[+;])/i.test(headers['content-type'] ?? '')) fault('the answer is not gRPC');
    else fields = headers;
  });
  stream.on('trailers', trailers => {
    fields = trailers;
  });
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length;
    parts.push(chunk);
    if (length > answerBytesMax && !isOver) fault('the answer is larger than 4 KiB');
  });
  stream.on('end', () => {
    // A connection that is cut ends the answer as well: then it has no status, and the call is closed with a code.
    if (fields['grpc-status'] === undefined) return;
    if (!isOver) onEnd(Buffer.concat(parts), fields);
    isOver = true;
  });
  stream.on('close', () => {
    if (!isOver && stream.rstCode === 0) fault('the answer is not valid gRPC');
  });
}

function answerOf(
  bytes: Buffer,
  fields: IncomingHttpHeaders,
): Pick<HealthAnswer, 'status' | 'code' | 'message'> | null {
  const code = codeOf(String(fields['grpc-status'] ?? ''));
  const message = String(fields['grpc-message'] ?? '');
  if (code === null) return null;
  if (code !== 0) return { status: null, code, message };
  const status = decodeResponse(bytes);
  return status === undefined ? null : { status, code, message: '' };
}

/** What broke the connection or the call; null: it just ended. */
function failureOf(error: unknown): Error {
  const code = errorCode(error) ?? 'ECONNRESET';
  if (!code.startsWith('ERR_HTTP2')) return new ExchangeError(code);
  const reason = /NGHTTP2_[A-Z_]+/.exec(error instanceof Error ? error.message : '')?.[0].slice('NGHTTP2_'.length);
  const words = (reason ?? code.slice('ERR_HTTP2_'.length)).replaceAll('_', ' ').toLowerCase();
  return new ProbeRefusal('protocol_error', `the answer is not valid HTTP/2 (${words})`);
}
