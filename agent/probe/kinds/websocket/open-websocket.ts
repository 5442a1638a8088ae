import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import WebSocket from 'ws';
import { version } from '../../../version.ts';
import type { Deadline } from '../../deadline.ts';
import type { TakeBytes } from '../../http/body-reader.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';
import { failureOf } from './failure.ts';
import { Inbox, messageBytesMax } from './inbox.ts';

const headBytesMax = 65_536;
const closedWithinMs = 1000;

export type Handshake = {
  /** With its port, unless that is the usual one. */
  host: string;
  path: string;
  subprotocols: readonly string[];
  headers: Readonly<Record<string, string>>;
};

type Options = {
  takeBytes: TakeBytes;
  /** When the event that is handled now was received, by the monotonic clock. */
  eventMs: () => number;
  /** Called with the status of the answer, whatever it is. */
  onStatus: (statusCode: number) => void;
};

/** After the handshake; `headers` are names and values in turns as they came, in Latin-1. */
export type Opened = {
  websocket: WebSocket;
  inbox: Inbox;
  subprotocol: string | null;
  headers: readonly string[];
  openedMs: number;
};

/**
 * Makes the handshake over a connection that there is, without compression and without redirects; messages are
 * collected from the first one on. Rejects with ProbeRefusal, ExchangeError or DeadlineError, the socket destroyed.
 */
export function openWebsocket(
  socket: Socket,
  { host, path, subprotocols, headers }: Handshake,
  { takeBytes, eventMs, onStatus }: Options,
  deadline: Deadline,
): Promise<Opened> {
  const { promise, resolve, reject } = Promise.withResolvers<Opened>();
  const inbox = new Inbox(takeBytes);
  // The socket is there already, with TLS where there is any: of this URL only the path is sent.
  const websocket = new WebSocket(`ws://target${path}`, [...subprotocols], {
    createConnection: () => socket,
    headers: withDefaults(headers, host),
    perMessageDeflate: false,
    maxPayload: messageBytesMax,
    maxFragments: 1024,
    maxBufferedChunks: 4096,
    ...{ maxHeaderSize: headBytesMax, closeTimeout: closedWithinMs },
  });
  let response: IncomingMessage | null = null;
  const fail = (error: Error) => {
    socket.destroy();
    reject(error);
    inbox.end(error);
  };
  deadline.onExpiry(fail);
  websocket.on('upgrade', head => {
    response = head;
    onStatus(head.statusCode ?? 0);
  });
  websocket.on('unexpected-response', (_request, { statusCode = 0 }) => {
    onStatus(statusCode);
    fail(new ProbeRefusal('protocol_error', `the answer has status ${statusCode}, not 101`));
  });
  websocket.on('error', error => fail(failureOf(error)));
  websocket.on('message', data => inbox.add(data as Buffer, eventMs()));
  websocket.on('close', () => inbox.end());
  websocket.on('open', () => {
    // Before `ws` sees them: a message that ends with these bytes takes memory, too.
    socket.prependListener('data', (bytes: Buffer) => inbox.grow(bytes.length));
    const subprotocol = websocket.protocol === '' ? null : websocket.protocol;
    resolve({ websocket, inbox, subprotocol, headers: response?.rawHeaders ?? [], openedMs: eventMs() });
  });
  return promise;
}

function withDefaults(headers: Readonly<Record<string, string>>, host: string): Record<string, string> {
  const names = new Set(Object.keys(headers).map(name => name.toLowerCase()));
  const defaults = Object.entries({ Host: host, 'User-Agent': `upquorum/${version}` });
  return { ...Object.fromEntries(defaults.filter(([name]) => !names.has(name.toLowerCase()))), ...headers };
}
