import type { Socket } from 'node:net';
import type { TlsCheck } from '#shared/checks/check.ts';
import type { StarttlsProtocol } from '#shared/checks/vocabulary.ts';
import { addTiming } from '../../attempt.ts';
import { connect } from '../../connect.ts';
import { needsHybrid } from '../../dial.ts';
import { tlsFor } from '../../egress/egress.ts';
import type { HandshakeOptions } from '../../handshake.ts';
import { secure } from '../../secure.ts';
import { closeGently } from '../close-gently.ts';
import { type KindAttempt, type KindProbe, plainResponse } from '../kind.ts';
import { lateRefusal } from './late-refusal.ts';
import { startTalk } from './starttls.ts';

/** Makes a handshake, after a talk in clear text if the protocol has one, and sends nothing over it. */
export const probeTls: KindProbe<TlsCheck> = async ({ host, port, starttls }, attempt) => {
  const { egress, outcome } = attempt;
  const socket = await openTls({ host, port, starttls }, attempt);
  const endedMs = performance.now();
  if (egress.ofTarget !== null) {
    outcome.phase = 'tls';
    await lateRefusal(socket);
  }
  closeGently(socket);
  outcome.response = plainResponse();
  return endedMs;
};

type Attempt = Pick<KindAttempt, 'egress' | 'tools' | 'deadline' | 'outcome'>;

/** A connection after its handshake. */
export async function openTls(
  { host, port, starttls }: Pick<TlsCheck, 'host' | 'port' | 'starttls'>,
  attempt: Attempt,
): Promise<Socket> {
  if (starttls !== null) return secureAfterTalk({ host, port }, starttls, attempt);
  const { egress, tools, deadline, outcome } = attempt;
  return (await connect({ host, port, secure: true, alpn: 'none' }, egress, tools, deadline, outcome)).socket;
}

type Place = { host: string; port: number };

/** As `dial` does, a server that accepts hybrid groups alone gets a second connection. */
async function secureAfterTalk(place: Place, protocol: StarttlsProtocol, attempt: Attempt): Promise<Socket> {
  const { trust, ...handshake } = tlsFor(attempt.egress, place);
  try {
    return await talkAndSecure(place, protocol, { ...handshake, context: trust.classic }, attempt);
  } catch (error) {
    if (!needsHybrid(error)) throw error;
    return await talkAndSecure(place, protocol, { ...handshake, context: trust.hybrid }, attempt);
  }
}

async function talkAndSecure(
  { host, port }: Place,
  protocol: StarttlsProtocol,
  handshake: HandshakeOptions,
  { egress, tools, deadline, outcome }: Attempt,
): Promise<Socket> {
  const { socket } = await connect({ host, port, secure: false }, egress, tools, deadline, outcome);
  outcome.phase = 'starttls';
  const startedMs = performance.now();
  try {
    await startTalk(protocol, socket, deadline);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    addTiming(outcome.timings, 'starttls_ms', performance.now() - startedMs);
  }
  outcome.phase = 'tls';
  const secured = await secure(socket, handshake, deadline);
  addTiming(outcome.timings, 'tls_ms', secured.tlsMs);
  outcome.tls = secured.tls;
  return secured.socket;
}
