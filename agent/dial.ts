import { connect as connectTcp, isIP, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  type DetailedPeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { Phase } from './classify-failure.ts';
import type { Deadline } from './deadline.ts';

/** A connection of one hop, with what its making took. */
export type Connection = {
  socket: Socket;
  connectMs: number;
  tlsMs: number | null;
  tls: { protocol: string; validToMs: number } | null;
};

/** A connection that could not be made: the phase and the code of the system or of OpenSSL. */
export class DialError extends Error {
  override name = 'DialError';
  readonly phase: Phase;
  readonly code: string;
  constructor(phase: Phase, code: string) {
    super(code);
    this.phase = phase;
    this.code = code;
  }
}

export type DialOptions = {
  /** The address itself, already allowed: no lookup happens here. */
  address: string;
  port: number;
  /** Name the certificate must be for; null for plain HTTP. */
  serverName: string | null;
  trust: SecureContext;
  isAllowed: (address: string) => boolean;
};

/** Connects to one pinned address. Throws DialError, or DeadlineError when time is up. */
export function dial(options: DialOptions, deadline: Deadline, limitMs: number): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  const startedMs = performance.now();
  let connectedMs = 0;
  const identity = { validToMs: 0 };
  const socket =
    options.serverName === null
      ? connectTcp({ host: options.address, port: options.port })
      : startTls(options, options.serverName, identity);
  const fail = (error: Error) => {
    socket.destroy();
    clearTimeout(limit);
    reject(error);
  };
  const limit =
    limitMs < deadline.leftMs ? setTimeout(() => fail(new DialError('connect', 'ETIMEDOUT')), limitMs) : undefined;
  deadline.onExpiry(error => fail(connectedMs === 0 ? new DialError('connect', 'ETIMEDOUT') : error));
  socket.on('error', error => fail(new DialError(connectedMs === 0 ? 'connect' : 'tls', codeOf(error))));
  socket.on('connect', () => {
    connectedMs = performance.now();
    clearTimeout(limit);
    if (!options.isAllowed(socket.remoteAddress ?? '')) return fail(new DialError('connect', 'EBLOCKED'));
    if (options.serverName === null) resolve({ socket, connectMs: connectedMs - startedMs, tlsMs: null, tls: null });
  });
  if (options.serverName !== null)
    socket.on('secureConnect', () => {
      const protocol = (socket as TLSSocket).getProtocol() ?? 'unknown';
      const tlsMs = performance.now() - connectedMs;
      resolve({ socket, connectMs: connectedMs - startedMs, tlsMs, tls: { protocol, validToMs: identity.validToMs } });
    });
  return promise;
}

function startTls(options: DialOptions, name: string, identity: { validToMs: number }): TLSSocket {
  const socket = connectTls({
    host: options.address,
    port: options.port,
    secureContext: options.trust,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(name) === 0 ? { servername: name } : {}),
    checkServerIdentity: (_, certificate) => {
      identity.validToMs = Date.parse(certificate.valid_to);
      return checkServerIdentity(name, certificate);
    },
  });
  // For the check above Node would convert the whole chain to objects, 0.1 ms per handshake; the leaf is all it reads.
  const { getPeerCertificate } = socket;
  socket.getPeerCertificate = () => getPeerCertificate.call(socket, false) as DetailedPeerCertificate;
  return socket;
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : 'EUNKNOWN';
}
