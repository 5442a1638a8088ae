import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { errorCode } from '#shared/error-code.ts';
import type { Deadline } from './deadline.ts';
import { DialError } from './dial.ts';
import { concludeTls, type HandshakeOptions, type Identity, startTls, type TlsFacts } from './handshake.ts';

type Secured = { socket: TLSSocket; tlsMs: number; tls: TlsFacts | null };

/**
 * Goes over to TLS on a connection that began in clear text, offering no protocol of its own. Rejects with DialError or
 * DeadlineError; both sockets are destroyed then.
 */
export function secure(socket: Socket, options: HandshakeOptions, deadline: Deadline): Promise<Secured> {
  const { promise, resolve, reject } = Promise.withResolvers<Secured>();
  const startedMs = performance.now();
  const identity: Identity = { facts: null };
  const address = socket.remoteAddress ?? null;
  const secured = startTls({ socket }, { alpn: 'none', ...options }, identity);
  const end = (error: Error) => {
    secured.destroy();
    socket.destroy();
    reject(error);
  };
  deadline.onExpiry(end);
  secured.on('error', error => end(new DialError('tls', errorCode(error) ?? 'EUNKNOWN', address)));
  secured.on('secureConnect', () => {
    const { tls, refusal } = concludeTls(secured, identity, options);
    if (refusal !== null) return end(new DialError('tls', refusal, address, tls));
    resolve({ socket: secured, tlsMs: performance.now() - startedMs, tls });
  });
  return promise;
}
