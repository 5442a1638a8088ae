import type { X509Certificate } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { connect, type DetailedPeerCertificate, type SecureContext, type TLSSocket } from 'node:tls';
import { type CertificateFacts, factsFor, unverifiedFacts } from './certificate-facts.ts';

/** What is offered in ALPN, encoded once. */
const offers = {
  'http/1.1': Buffer.from('\x08http/1.1', 'latin1'),
  h2: Buffer.from('\x02h2', 'latin1'),
  both: Buffer.from('\x02h2\x08http/1.1', 'latin1'),
} as const;

/** What the handshake said. `alpn`: what the server chose, where it had a choice or HTTP/2 was asked for. */
export type TlsFacts = CertificateFacts & { protocol: string; verified?: false; alpn?: string };

/** What the certificate says, once it was found to be for the name. A socket gives its certificate only once. */
export type Identity = { facts: CertificateFacts | null; certificate?: X509Certificate | undefined };

/**
 * `name`: what the certificate must be for; with `verify` false any will do. `alpn`: HTTP/1.1 if left out; checks
 * without HTTP offer `none`.
 */
export type HandshakeOptions = {
  name: string;
  context: SecureContext;
  alpn?: keyof typeof offers | 'none' | undefined;
  verify?: boolean;
};

/** Begins a handshake over a new connection to an address, or over a connection that there is. */
export function startTls(
  over: { host: string; port: number; localAddress?: string | undefined } | { socket: Socket },
  { name, context, alpn = 'http/1.1' }: HandshakeOptions,
  identity: Identity,
): TLSSocket {
  const socket: TLSSocket = connect({
    ...over,
    secureContext: context,
    // Node would close the connection before anybody could see the certificate: `concludeTls` refuses it instead.
    rejectUnauthorized: false,
    ...(alpn === 'none' ? {} : { ALPNProtocols: offers[alpn] }),
    ...(isIP(name) === 0 ? { servername: name } : {}),
    checkServerIdentity: () => {
      const certificate = socket.getPeerX509Certificate();
      identity.certificate = certificate;
      identity.facts = certificate === undefined ? null : factsFor(certificate, name);
      if (identity.facts !== null) return undefined;
      return new WrongName(certificate?.subjectAltName === undefined ? 'ENOALTNAME' : 'ERR_TLS_CERT_ALTNAME_INVALID');
    },
  });
  // For the check above, Node would convert the certificates to objects first, at 0.1 ms per handshake (measured).
  socket.getPeerCertificate = () => ({}) as DetailedPeerCertificate;
  return socket;
}

/** What a finished handshake said. `refusal`: the code by which the certificate is refused; null to go on. */
export function concludeTls(
  socket: TLSSocket,
  { facts, certificate = socket.getPeerX509Certificate() }: Identity,
  { verify = true, alpn = 'none' }: Pick<HandshakeOptions, 'verify' | 'alpn'>,
): { tls: TlsFacts | null; refusal: string | null } {
  const chosen = alpn === 'h2' || alpn === 'both' ? chosenProtocol(socket) : null;
  const said = { protocol: socket.getProtocol() ?? 'unknown', ...(chosen === null ? {} : { alpn: chosen }) };
  if (facts !== null && socket.authorized) return { tls: { ...said, ...facts }, refusal: null };
  const seen = certificate === undefined ? null : unverifiedFacts(certificate);
  const tls = seen === null ? null : { ...said, ...seen, verified: false as const };
  // Node has its code here, although its types say otherwise.
  const code: unknown = socket.authorizationError;
  return { tls, refusal: verify ? (typeof code === 'string' ? code : 'EUNKNOWN') : null };
}

/** What the server chose of the protocols offered; null if it chose none, or there is no TLS. */
export function chosenProtocol(socket: Socket): string | null {
  return ('alpnProtocol' in socket && (socket as TLSSocket).alpnProtocol) || null;
}

class WrongName extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}
