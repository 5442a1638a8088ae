import type { X509Certificate } from 'node:crypto';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type DetailedPeerCertificate, type SecureContext, type TLSSocket } from 'node:tls';
import { wireLimits } from '#shared/check-result.ts';
import { errorCode } from '#shared/error-code.ts';
import type { Phase } from './classify-failure.ts';
import type { Deadline } from './deadline.ts';

/** What is offered in ALPN, encoded once. */
const protocols = Buffer.from('\x08http/1.1', 'latin1');

/** A connection for one hop and how long TLS took. `tls` and `tlsMs` are null for plain HTTP. */
export type Connection = {
  socket: Socket;
  tlsMs: number | null;
  tls: TlsFacts | null;
};

/** What the handshake told: names as one line each, the fingerprint as 64 hexadecimal digits. */
export type TlsFacts = {
  protocol: string;
  validFromMs: number;
  validToMs: number;
  issuer: string;
  subject: string;
  fingerprint: string;
};

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
  trust: SecureContext;
  /** Checked again for the address that was actually reached. */
  isAllowed: (address: string) => boolean;
  /** Called once TCP is connected, before TLS. */
  onConnect: (connectMs: number) => void;
};

/**
 * Connects to one pinned address within `limitMs` and the deadline. Rejects with DialError, or with DeadlineError if
 * the deadline passes during the TLS handshake. The caller destroys the socket.
 */
export function dial(options: DialOptions, deadline: Deadline, limitMs: number): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  const startedMs = performance.now();
  let connectedMs = 0;
  const identity: { certificate: X509Certificate | null } = { certificate: null };
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
      resolve({ socket, tlsMs, tls: { protocol, ...factsOf(identity.certificate) } });
    });
  return promise;
}

function startTls(options: DialOptions, name: string, identity: { certificate: X509Certificate | null }): TLSSocket {
  const socket: TLSSocket = connectTls({
    host: options.address,
    port: options.port,
    secureContext: options.trust,
    ALPNProtocols: protocols,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    checkServerIdentity: () => {
      const certificate = socket.getPeerX509Certificate();
      identity.certificate = certificate ?? null;
      return certificate !== undefined && isFor(certificate, name) ? undefined : new WrongName();
    },
  });
  // For the check above, Node would convert the certificates to objects first, at 0.1 ms per handshake (measured).
  socket.getPeerCertificate = () => ({}) as DetailedPeerCertificate;
  return socket;
}

function factsOf(certificate: X509Certificate | null): Omit<TlsFacts, 'protocol'> {
  return {
    validFromMs: certificate?.validFromDate.getTime() ?? 0,
    validToMs: certificate?.validToDate.getTime() ?? 0,
    issuer: nameText(certificate?.issuer),
    subject: nameText(certificate?.subject),
    fingerprint: (certificate?.fingerprint256 ?? '').replaceAll(':', '').toLowerCase(),
  };
}

/** A distinguished name on one line, the common name first, as people look for it. */
export function nameText(name: string | undefined): string {
  const parts = (name ?? '').split('\n').toReversed();
  return parts
    .join(', ')
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, wireLimits.tlsName)
    .toWellFormed();
}

/** By OpenSSL: the alternative names, or the common name if there are none. */
function isFor(certificate: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined;
  // OpenSSL takes a leading dot for "any name below".
  return !name.startsWith('.') && certificate.checkHost(name.replace(/\.$/, '')) !== undefined;
}

class WrongName extends Error {
  readonly code = 'ERR_TLS_CERT_ALTNAME_INVALID';
}
