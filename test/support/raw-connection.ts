import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { patienceMs } from './patience.ts';

/** A response as received; header names are in lower case. */
export type RawAnswer = { status: number; headers: Record<string, string>; body: string };

/** A keep-alive connection that can send any bytes as a request, even those no client library would. */
export type RawConnection = AsyncDisposable & {
  /**
   * Sends bytes and waits for one complete response; null if the server closed without one. After `endAfterMs`, if
   * given, the client ends its side: for bytes that may be only part of a request.
   */
  exchange(bytes: string | Uint8Array, method?: string, endAfterMs?: number): Promise<RawAnswer | null>;
  /** False if the next exchange needs a new connection. */
  open: boolean;
};

/** Opens a connection to a port of loopback; dispose to close it. */
export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const answers = new AnswerReader(socket);
  const connection: RawConnection = {
    open: true,
    exchange: async (bytes, method = 'GET', endAfterMs) => {
      const answer = answers.next(method === 'HEAD');
      socket.write(bytes);
      const timer = endAfterMs === undefined ? undefined : setTimeout(() => socket.end(), endAfterMs);
      const read = await answer;
      clearTimeout(timer);
      connection.open = !answers.ended && read?.headers.connection !== 'close';
      return read;
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
    },
  };
  return connection;
}

/** Builds a complete request; a body gets its length, and the given headers replace the defaults. */
export function writeRequest(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array | null = null,
): Uint8Array {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const all = {
    host: 'localhost',
    ...(bytes === null ? {} : { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  return bytes === null ? head : Buffer.concat([head, bytes]);
}

class AnswerReader {
  ended = false;
  #received = Buffer.alloc(0);
  #wake: () => void = () => undefined;

  constructor(socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.on('error', () => undefined);
    for (const event of ['end', 'close'] as const)
      socket.on(event, () => {
        this.ended = true;
        this.#wake();
      });
  }

  async next(headOnly: boolean): Promise<RawAnswer | null> {
    const startedAt = performance.now();
    for (;;) {
      const answer = this.#take(headOnly);
      if (answer !== null || this.ended) return answer;
      const waitedMs = performance.now() - startedAt;
      if (waitedMs > patienceMs) throw new Error(`no response within ${Math.round(waitedMs)} ms`);
      await this.#change();
    }
  }

  #change(): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, 1000);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #take(headOnly: boolean): RawAnswer | null {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return null;
    const [start = '', ...lines] = this.#received.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(start.split(' ')[1]);
    if (status === 100) {
      this.#received = this.#received.subarray(end + 4);
      return this.#take(headOnly);
    }
    const headers = Object.fromEntries(
      lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = headOnly || status === 204 ? 0 : bodyLength(headers, this.#received.length - end - 4, this.ended);
    if (length === null || this.#received.length < end + 4 + length) return null;
    const body = this.#received.subarray(end + 4, end + 4 + length).toString();
    this.#received = this.#received.subarray(end + 4 + length);
    return { status, headers, body };
  }
}

/** Null while the length is unknown: a response without a content length ends with its connection. */
function bodyLength(headers: Record<string, string>, arrived: number, ended: boolean): number | null {
  const given = headers['content-length'];
  if (given !== undefined) return Number(given);
  // A stream has no end: its beginning says that it was answered.
  if (headers['content-type']?.startsWith('text/event-stream')) return arrived;
  return ended ? arrived : null;
}
