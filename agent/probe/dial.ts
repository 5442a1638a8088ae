import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type DetailedPeerCertificate, type SecureContext, type TLSSocket } from 'node:tls';
import { errorCode } from '#shared/error-code.ts';
import { type CertificateFacts, factsFor } from './certificate-facts.ts';
import type { Phase } from './classify-failure.ts';
import type { Deadline } from './deadline.ts';
import type { Trust } from './trust.ts';

/** What is offered in ALPN, encoded once. */
const protocols = Buffer.from('\x08http/1.1', 'latin1');

/** A connection for one hop and how long TLS took. `tls` and `tlsMs` are null for plain HTTP. */
export type Connection = {
  socket: Socket;
  tlsMs: number | null;
  tls: TlsFacts | null;
};

/** What the handshake said. */
export type TlsFacts = CertificateFacts & { protocol: string };

/** The connection failed in `phase`; `code` is that of the system or OpenSSL, or `EBLOCKED` for a forbidden address. */
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
  /** An IP address that the policy allows; there is no lookup. */
  address: string;
  port: number;
  /** The name the certificate must be valid for; null for plain HTTP. */
  serverName: string | null;
  trust: Trust;
  /** Checked again for the address that was actually reached. */
  isAllowed: (address: string) => boolean;
  /** Called once TCP is connected, before TLS. */
  onConnect: (connectMs: number) => void;
};

/** What a server answers that shares no group, cipher or version with us. */
const nothingShared = 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE';

/**
 * Connects to one pinned address within `limitMs` and the deadline. Rejects with DialError, or with DeadlineError if
 * the deadline passes during the TLS handshake. The caller destroys the socket.
 */
export async function dial(options: DialOptions, deadline: Deadline, limitMs: number): Promise<Connection> {
  try {
    return await dialOnce(options, options.trust.classic, deadline, limitMs);
  } catch (error) {
    if (!(error instanceof DialError) || error.code !== nothingShared) throw error;
    // Few servers accept hybrid groups alone.
    return await dialOnce(options, options.trust.hybrid, deadline, limitMs);
  }
}

function dialOnce(
  options: DialOptions,
  context: SecureContext,
  deadline: Deadline,
  limitMs: number,
): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  const startedMs = performance.now();
  let connectedMs = 0;
  const identity: { facts: CertificateFacts | null } = { facts: null };
  const socket =
    options.serverName === null
      ? connectTcp({ host: options.address, port: options.port })
      : startTls(options, options.serverName, context, identity);
  const fail = (error: Error) => {
    socket.destroy();
    clearTimeout(limit);
    reject(error);
  };
  const limit =
    limitMs < deadline.leftMs ? setTimeout(() => fail(new DialError('connect', 'ETIMEDOUT')), limitMs) : undefined;
  deadline.onExpiry(error => fail(connectedMs === 0 ? new DialError('connect', 'ETIMEDOUT') : error));
  socket.on('error', error =>
    fail(new DialError(connectedMs === 0 ? 'connect' : 'tls', errorCode(error) ?? 'EUNKNOWN')),
  );
  socket.on('connect', () => {
    connectedMs = performance.now();
    clearTimeout(limit);
    options.onConnect(connectedMs - startedMs);
    if (!options.isAllowed(socket.remoteAddress ?? '')) return fail(new DialError('connect', 'EBLOCKED'));
    if (options.serverName === null) resolve({ socket, tlsMs: null, tls: null });
  });
  if (options.serverName !== null)
    socket.on('secureConnect', () => {
      const protocol = (socket as TLSSocket).getProtocol() ?? 'unknown';
      const tlsMs = performance.now() - connectedMs;
      resolve({ socket, tlsMs, tls: identity.facts === null ? null : { protocol, ...identity.facts } });
    });
  return promise;
}

function startTls(
  options: DialOptions,
  name: string,
  secureContext: SecureContext,
  identity: { facts: CertificateFacts | null },
): TLSSocket {
  const socket: TLSSocket = connectTls({
    host: options.address,
    port: options.port,
    secureContext,
    ALPNProtocols: protocols,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    checkServerIdentity: () => {
      const certificate = socket.getPeerX509Certificate();
      identity.facts = certificate === undefined ? null : factsFor(certificate, name);
      return identity.facts === null ? new WrongName() : undefined;
    },
  });
  // For the check above, Node would convert the certificates to objects first, at 0.1 ms per handshake (measured).
  socket.getPeerCertificate = () => ({}) as DetailedPeerCertificate;
  return socket;
}

class WrongName extends Error {
  readonly code = 'ERR_TLS_CERT_ALTNAME_INVALID';
}
