import type { Socket } from 'node:net';

const closedWithinMs = 1000;

/**
 * Sends the last bytes, if any, and says goodbye as the protocol asks for, so that the other side logs no error. Its
 * own goodbye is waited for in the background, for a second.
 */
export function closeGently(socket: Socket, lastBytes: string | null = null): void {
  const timer = setTimeout(() => socket.destroy(), closedWithinMs).unref();
  socket.on('close', () => clearTimeout(timer));
  socket.on('error', () => undefined);
  if (lastBytes === null) socket.end();
  else socket.end(lastBytes);
  // Closing with unread bytes resets the connection, and what was sent is lost.
  socket.resume();
}
