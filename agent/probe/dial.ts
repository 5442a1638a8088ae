import { connect as connectTcp, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { errorCode } from '#shared/error-code.ts';
import type { Addresses } from '#shared/network/resolver.ts';
import type { Phase } from './classify-failure.ts';
import type { Deadline } from './deadline.ts';
import { type SourceAddresses, sourceFor } from './egress/source.ts';
import { concludeTls, type HandshakeOptions, type Identity, startTls, type TlsFacts } from './handshake.ts';
import type { Forwarder } from './proxy/proxy.ts';
import type { Trust } from './trust.ts';
import { Turns } from './turns.ts';

/**
 * A connection for one hop and how long TLS took. `tls` and `tlsMs` are null for plain HTTP. `forwardedBy`: the proxy
 * at its other end, which forwards one request.
 */
export type Connection = {
  socket: Socket;
  tlsMs: number | null;
  tls: TlsFacts | null;
  forwardedBy?: Forwarder;
};

/**
 * The connection to `address` failed in `phase`; `code` is that of the system or OpenSSL, or `EBLOCKED` if no address
 * is allowed. `tls`: what a handshake said whose certificate is refused.
 */
export class DialError extends Error {
  override name = 'DialError';
  readonly phase: Phase;
  readonly code: string;
  readonly address: string | null;
  readonly tls: TlsFacts | null;
  constructor(phase: Phase, code: string, address: string | null, tls: TlsFacts | null = null) {
    super(code);
    this.phase = phase;
    this.code = code;
    this.address = address;
    this.tls = tls;
  }
}

/** `name`: what the certificate must be valid for. */
export type DialTls = Omit<HandshakeOptions, 'context'> & { trust: Trust };

export type DialOptions = {
  /** IP addresses that the policy allows; there is no lookup. */
  addresses: Addresses;
  port: number;
  source?: SourceAddresses | undefined;
  /** How to make the handshake; null for a connection in clear text. */
  tls: DialTls | null;
  /** Checked again for the address that was actually reached. */
  isAllowed: (address: string) => boolean;
  /** Called once TCP is connected, before TLS. */
  onConnect: (address: string, connectMs: number) => void;
  /** Called for each address that no connection could be made to. */
  onRefusal: (address: string, code: string) => void;
};

/** What a server answers that shares no group, cipher or version with us. */
const nothingShared = 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE';

/**
 * Connects to the first address that answers, before the deadline. Rejects with DialError, that of the first address if
 * none answers, or with DeadlineError if the deadline passes during the TLS handshake. The caller destroys the socket.
 */
export async function dial(options: DialOptions, deadline: Deadline): Promise<Connection> {
  const { tls } = options;
  if (tls === null) return await dialOnce(options, null, deadline);
  const { trust, ...handshake } = tls;
  try {
    return await dialOnce(options, { ...handshake, context: trust.classic }, deadline);
  } catch (error) {
    if (!needsHybrid(error) || error.address === null) throw error;
    const addresses = { known: [error.address], later: null };
    return await dialOnce({ ...options, addresses }, { ...handshake, context: trust.hybrid }, deadline);
  }
}

/** True if the server shares nothing with us so far: few servers accept hybrid groups alone. */
export function needsHybrid(error: unknown): error is DialError {
  return error instanceof DialError && error.code === nothingShared;
}

type Attempt = { address: string; socket: Socket; startedMs: number; identity: Identity };

/** Tries the addresses in turns until one is connected, which then makes its handshake alone. */
function dialOnce(options: DialOptions, tls: HandshakeOptions | null, deadline: Deadline): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  const attempts = new Set<Attempt>();
  let firstAddress: string | null = null;
  let firstError: DialError | null = null;
  let connectedMs = 0;
  const stopOthers = (winner: Attempt | null) => {
    turns.stop();
    for (const attempt of attempts) {
      if (attempt === winner) continue;
      attempts.delete(attempt);
      attempt.socket.destroy();
    }
  };
  const end = (error: Error) => {
    stopOthers(null);
    reject(error);
  };
  const endIfOver = () => {
    if (attempts.size === 0 && turns.isOver) end(firstError ?? new DialError('connect', 'EBLOCKED', null));
  };
  const refuse = (attempt: Attempt, code: string) => {
    const { address, socket } = attempt;
    attempts.delete(attempt);
    socket.destroy();
    if (firstError === null || address === firstAddress) firstError = new DialError('connect', code, address);
    options.onRefusal(address, code);
  };
  const fail = (attempt: Attempt, code: string) => {
    if (!attempts.has(attempt)) return;
    if (connectedMs !== 0) return end(new DialError('tls', code, attempt.address));
    refuse(attempt, code);
    turns.next();
    endIfOver();
  };
  const onConnect = (attempt: Attempt) => {
    const { address, socket } = attempt;
    if (!options.isAllowed(socket.remoteAddress ?? '')) return fail(attempt, 'EBLOCKED');
    connectedMs = performance.now();
    stopOthers(attempt);
    options.onConnect(address, connectedMs - attempt.startedMs);
    if (tls === null) resolve({ socket, tlsMs: null, tls: null });
  };
  const onSecure = ({ address, socket, identity }: Attempt) => {
    const { tls: facts, refusal } = concludeTls(socket as TLSSocket, identity, tls ?? {});
    if (refusal !== null) return end(new DialError('tls', refusal, address, facts));
    resolve({ socket, tlsMs: performance.now() - connectedMs, tls: facts });
  };
  const start = (address: string) => {
    firstAddress ??= address;
    const attempt = startAttempt(options, address, tls);
    attempts.add(attempt);
    attempt.socket.on('error', error => fail(attempt, errorCode(error) ?? 'EUNKNOWN'));
    attempt.socket.on('connect', () => onConnect(attempt));
    if (tls !== null) attempt.socket.on('secureConnect', () => onSecure(attempt));
  };
  const turns = new Turns(options.addresses, deadline.leftMs, start, endIfOver);
  deadline.onExpiry(error => {
    if (connectedMs !== 0) return end(error);
    for (const attempt of attempts) refuse(attempt, 'ETIMEDOUT');
    end(firstError ?? new DialError('connect', 'EBLOCKED', null));
  });
  turns.next();
  endIfOver();
  return promise;
}

function startAttempt({ port, source }: DialOptions, address: string, tls: HandshakeOptions | null): Attempt {
  const identity: Identity = { facts: null };
  const startedMs = performance.now();
  const to = { host: address, port, localAddress: sourceFor(address, source) };
  const socket = tls === null ? connectTcp(to) : startTls(to, tls, identity);
  return { address, socket, startedMs, identity };
}
