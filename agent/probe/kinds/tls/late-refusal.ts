import type { Socket } from 'node:net';
import { errorCode } from '#shared/error-code.ts';
import { DialError } from '../../dial.ts';

const waitMs = 500;

/**
 * Waits for the refusal of a client certificate, which TLS 1.3 sends after the handshake: half a second, or until the
 * server says anything else. Rejects with DialError.
 */
export function lateRefusal(socket: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const address = socket.remoteAddress ?? null;
  const timer = setTimeout(resolve, waitMs);
  socket.once('error', error => reject(new DialError('tls', errorCode(error) ?? 'EUNKNOWN', address)));
  socket.once('data', () => resolve());
  socket.once('end', () => resolve());
  return promise.finally(() => clearTimeout(timer));
}
