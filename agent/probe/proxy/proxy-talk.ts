import type { Socket } from 'node:net';
import { errorCode } from '#shared/error-code.ts';
import type { Deadline } from '../deadline.ts';
import { DialError } from '../dial.ts';

/** A talk with a proxy before the tunnel is there. What it has sent of the tunnel already stays on the socket. */
export class ProxyTalk implements Disposable {
  readonly #socket: Socket;
  #unread: Buffer = Buffer.alloc(0);
  #failure: Error | null = null;
  #wake = () => {};

  constructor(socket: Socket, deadline: Deadline) {
    this.#socket = socket;
    deadline.onExpiry(this.#fail);
    socket.on('readable', this.#onReadable).on('end', this.#onEnd).on('error', this.#onError).on('close', this.#onEnd);
    if (socket.destroyed) this.#onEnd();
  }

  send(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  /** So many bytes. */
  async bytes(count: number): Promise<Buffer> {
    return (await this.#take(unread => (unread.length >= count ? count : 0))) as Buffer;
  }

  /** All up to `mark` and with it; null if it does not end within `max` bytes. */
  async through(mark: string, max: number): Promise<Buffer | null> {
    return await this.#take(unread => {
      const at = unread.subarray(0, max).indexOf(mark);
      if (at >= 0) return at + mark.length;
      return unread.length >= max ? null : 0;
    });
  }

  [Symbol.dispose](): void {
    const socket = this.#socket;
    socket.off('readable', this.#onReadable).off('end', this.#onEnd);
    socket.off('error', this.#onError).off('close', this.#onEnd);
    if (this.#unread.length > 0 && !socket.destroyed && !socket.readableEnded) socket.unshift(this.#unread);
  }

  /** Waits until `find` gives the length of what is to be taken; 0: not there yet, null: it will not come. */
  async #take(find: (unread: Buffer) => number | null): Promise<Buffer | null> {
    for (;;) {
      const length = find(this.#unread);
      if (length === null) return null;
      if (length > 0) {
        const taken = this.#unread.subarray(0, length);
        this.#unread = this.#unread.subarray(length);
        return taken;
      }
      if (this.#failure !== null) throw this.#failure;
      const more = Promise.withResolvers<void>();
      this.#wake = more.resolve;
      await more.promise;
    }
  }

  readonly #onReadable = (): void => {
    const chunk = this.#socket.read() as Buffer | null;
    if (chunk === null) return;
    this.#unread = Buffer.concat([this.#unread, chunk]);
    this.#wake();
  };

  readonly #onEnd = (): void => this.#fail(new DialError('connect', 'ECONNRESET', null));
  readonly #onError = (error: Error): void =>
    this.#fail(new DialError('connect', errorCode(error) ?? 'ECONNRESET', null));

  readonly #fail = (error: Error): void => {
    this.#failure ??= error;
    this.#wake();
  };
}
