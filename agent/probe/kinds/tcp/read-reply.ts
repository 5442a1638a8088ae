import type { Socket } from 'node:net';
import { errorCode } from '#shared/error-code.ts';
import type { Deadline } from '../../deadline.ts';
import { BodyError, type TakeBytes } from '../../http/body-reader.ts';
import { ExchangeError } from '../../http/exchange.ts';
import { ReplyBuffer } from './reply-buffer.ts';

/** An answer is over once nothing came for this long after its last byte. */
const silentAfterMs = 2000;

/** `firstByteMs` and `lastByteMs`: when they came, by the monotonic clock; `firstByteMs` is null if none did. */
type Reply = { text: string; bytes: number; truncated: boolean; firstByteMs: number | null; lastByteMs: number };

type ReplyOptions = {
  send: string | null;
  takeBytes: TakeBytes;
  /** Whether more of the answer would change nothing. */
  isEnough: (reply: ReplyBuffer) => boolean;
  /** When the event that is handled now was received, by the monotonic clock. */
  eventMs: () => number;
};

/**
 * Reads until 64 KiB, the end, 2 s of silence or the time limit, or until it is enough. Always destroys the socket.
 * Rejects with ExchangeError if the connection breaks before the first byte, or with BodyError.
 */
export function readReply(socket: Socket, options: ReplyOptions, deadline: Deadline): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const reply = new ReplyBuffer(options.takeBytes);
  const startedMs = performance.now();
  let [firstByteMs, lastByteMs] = [null as number | null, startedMs];
  let silence: NodeJS.Timeout | undefined;
  const stop = () => {
    clearTimeout(silence);
    socket.destroy();
  };
  const end = () => {
    stop();
    resolve({ text: reply.text(), bytes: reply.length, truncated: reply.isFull, firstByteMs, lastByteMs });
  };
  const fail = (error: Error) => {
    stop();
    reject(error);
  };
  const onData = (chunk: Buffer) => {
    lastByteMs = Math.max(startedMs, options.eventMs());
    firstByteMs ??= lastByteMs;
    if (!reply.append(chunk)) fail(new BodyError('ENOROOM'));
    else if (reply.isFull || options.isEnough(reply)) end();
    else {
      clearTimeout(silence);
      silence = setTimeout(end, silentAfterMs);
    }
  };
  deadline.onExpiry(end);
  socket.on('data', onData);
  socket.on('end', end);
  socket.on('error', error =>
    firstByteMs === null ? fail(new ExchangeError(errorCode(error) ?? 'ECONNRESET')) : end(),
  );
  socket.on('close', end);
  if (socket.destroyed) end();
  else if (options.send !== null) socket.write(options.send);
  return promise;
}
