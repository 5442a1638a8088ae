import { messagesMax } from '#shared/checks/vocabulary.ts';
import { BodyError, type TakeBytes } from '../../http/body-reader.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';

/** Largest message. */
export const messageBytesMax = 262_144;
/** Beyond what the largest messages take, the rest is pings and frames without an end. */
const bytesMax = (messagesMax + 1) * messageBytesMax;
const takenAtOnce = 4096;

/** A message, binary ones as UTF-8, and when it came by the monotonic clock. */
export type Message = { text: string; bytes: number; atMs: number };

/** Messages in the order in which they came. Its memory is accounted for, also of a message that is still to end. */
export class Inbox {
  readonly #takeBytes: TakeBytes;
  readonly #messages: Message[] = [];
  #waiting: PromiseWithResolvers<Message | null> | null = null;
  #end: { error: Error | null } | null = null;
  #received = 0;
  #heldBytes = 0;
  #unfinishedBytes = 0;
  #takenBytes = 0;
  /** Messages that came and their bytes. */
  count = 0;
  bytes = 0;

  constructor(takeBytes: TakeBytes) {
    this.#takeBytes = takeBytes;
  }

  /** Bytes came, of messages or of what is around them. */
  grow(bytes: number): void {
    this.#received += bytes;
    this.#unfinishedBytes += bytes;
    if (this.#received > bytesMax) this.end(new ProbeRefusal('protocol_error', 'more than 5 MiB came'));
    else if (!this.#hasMemory()) this.end(new BodyError('ENOROOM'));
  }

  add(data: Buffer, atMs: number): void {
    this.#unfinishedBytes = 0;
    if (this.#end !== null || this.count === messagesMax) return;
    this.count += 1;
    this.bytes += data.length;
    const message = { text: data.toString(), bytes: data.length, atMs };
    if (this.#waiting !== null) this.#answer(message);
    else {
      this.#heldBytes += data.length;
      this.#messages.push(message);
      if (!this.#hasMemory()) this.end(new BodyError('ENOROOM'));
    }
    if (this.count === messagesMax) this.end();
  }

  /** No message comes any more. Those that came are given out before the error. */
  end(error: Error | null = null): void {
    if (this.#end !== null) return;
    this.#end = { error };
    if (error === null) this.#answer(null);
    else this.#refuse(error);
  }

  /** The next message; null if none comes any more. Rejects with what went wrong. */
  next(): Promise<Message | null> {
    const message = this.#messages.shift();
    if (message !== undefined) {
      this.#heldBytes -= message.bytes;
      return Promise.resolve(message);
    }
    if (this.#end?.error != null) return Promise.reject(this.#end.error);
    if (this.#end !== null) return Promise.resolve(null);
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  #answer(message: Message | null): void {
    this.#waiting?.resolve(message);
    this.#waiting = null;
  }

  #refuse(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = null;
  }

  #hasMemory(): boolean {
    const needed = this.#heldBytes + this.#unfinishedBytes;
    if (needed <= this.#takenBytes) return true;
    const more = Math.ceil((needed - this.#takenBytes) / takenAtOnce) * takenAtOnce;
    if (!this.#takeBytes(more)) return false;
    this.#takenBytes += more;
    return true;
  }
}
