import type { Socket } from 'node:net';
import { errorCode } from '#shared/error-code.ts';
import type { Deadline } from '../../deadline.ts';
import { ExchangeError } from '../../http/exchange.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';
import { UnreadBytes } from '../../talk/unread-bytes.ts';

/** Most that is read before TLS. */
const [bytesMax, linesMax] = [16_384, 20];

/** A talk in clear text on a connected socket. What came before its end, or before a limit is passed, is still read. */
export class Talk implements Disposable {
  readonly #socket: Socket;
  readonly #unread = new UnreadBytes();
  #bytes = 0;
  #lines = 0;

  constructor(socket: Socket, deadline: Deadline) {
    this.#socket = socket;
    deadline.onExpiry(this.#fail);
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError).on('close', this.#onEnd);
    if (socket.destroyed) this.#onEnd();
  }

  /** True if there are bytes that nobody asked for. */
  get hasMore(): boolean {
    return this.#unread.length > 0;
  }

  send(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  /** The next line, without its end. */
  async line(): Promise<string> {
    const line = await this.#unread.take(unread => unread.indexOf('\n') + 1);
    this.#lines += 1;
    if (this.#lines > linesMax) throw new ProbeRefusal('protocol_error', `more than ${linesMax} lines came before TLS`);
    return line.toString().replace(/\r?\n$/, '');
  }

  async bytes(count: number): Promise<Buffer> {
    return await this.#unread.take(unread => (unread.length >= count ? count : 0));
  }

  [Symbol.dispose](): void {
    const socket = this.#socket;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError).off('close', this.#onEnd);
    socket.pause();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#bytes += chunk.length;
    if (this.#bytes > bytesMax)
      return this.#fail(new ProbeRefusal('protocol_error', 'more than 16 KiB came before TLS'));
    this.#unread.add(chunk);
  };

  readonly #onEnd = (): void => this.#fail(new ExchangeError('ECONNRESET'));
  readonly #onError = (error: Error): void => this.#fail(new ExchangeError(errorCode(error) ?? 'ECONNRESET'));

  readonly #fail = (error: Error): void => {
    if (!(error instanceof ExchangeError)) this.#socket.pause();
    this.#unread.fail(error);
  };
}
