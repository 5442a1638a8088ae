import type { Socket } from 'node:net';
import { errorCode } from '#shared/error-code.ts';
import type { Deadline } from '../deadline.ts';
import { DialError } from '../dial.ts';
import { UnreadBytes } from '../talk/unread-bytes.ts';

/** A talk with a proxy before the tunnel is there. What it has sent of the tunnel already stays on the socket. */
export class ProxyTalk implements Disposable {
  readonly #socket: Socket;
  readonly #unread = new UnreadBytes();

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
    return await this.#unread.take(unread => (unread.length >= count ? count : 0));
  }

  /** All up to `mark` and with it; null if it does not end within `max` bytes. */
  async through(mark: string, max: number): Promise<Buffer | null> {
    return await this.#unread.take(unread => {
      const at = unread.subarray(0, max).indexOf(mark);
      if (at >= 0) return at + mark.length;
      return unread.length >= max ? null : 0;
    });
  }

  [Symbol.dispose](): void {
    const socket = this.#socket;
    socket.off('readable', this.#onReadable).off('end', this.#onEnd);
    socket.off('error', this.#onError).off('close', this.#onEnd);
    if (this.#unread.length > 0 && !socket.destroyed && !socket.readableEnded) socket.unshift(this.#unread.peek());
  }

  readonly #onReadable = (): void => {
    const chunk = this.#socket.read() as Buffer | null;
    if (chunk === null) return;
    this.#unread.add(chunk);
  };

  readonly #onEnd = (): void => this.#fail(new DialError('connect', 'ECONNRESET', null));
  readonly #onError = (error: Error): void =>
    this.#fail(new DialError('connect', errorCode(error) ?? 'ECONNRESET', null));

  readonly #fail = (error: Error): void => this.#unread.fail(error);
}
