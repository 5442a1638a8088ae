import type { TLSSocket } from 'node:tls';
import type { GrpcCheck } from '#shared/checks/check.ts';
import { addTiming } from '../../attempt.ts';
import { connect, hostAndPort } from '../../connect.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';
import { type KindProbe, plainResponse } from '../kind.ts';
import { callHealth, type HealthAnswer } from './call-health.ts';
import { describeCode, unauthenticated } from './status-codes.ts';

/** Asks the health service of gRPC whether a service, or the server as a whole, is serving. */
export const probeGrpc: KindProbe<GrpcCheck> = async ({ host, port, secure, service }, attempt) => {
  const { egress, tools, deadline, outcome, headers: metadata } = attempt;
  const { socket } = await connect({ host, port, secure, alpn: 'h2' }, egress, tools, deadline, outcome);
  if (secure && (socket as TLSSocket).alpnProtocol !== 'h2') {
    socket.destroy();
    throw new ProbeRefusal('protocol_error', 'the server does not agree on HTTP/2');
  }
  const startedMs = performance.now();
  const eventMs = () => Math.max(startedMs, tools.standStill.eventMs());
  let headMs = startedMs;
  const onHead = (statusCode: number) => {
    headMs = eventMs();
    outcome.phase = 'answer';
    addTiming(outcome.timings, 'first_byte_ms', headMs - startedMs);
    // That of gRPC is always 200.
    if (statusCode !== 200 && statusCode >= 100 && statusCode <= 999) outcome.statusCode = statusCode;
    outcome.refusesToken = statusCode === 401;
  };
  const call = { authority: hostAndPort(host, port), secure, service, metadata };
  const answer = await callHealth(socket, call, { eventMs, onHead }, deadline);
  const { status, code, bytes, endedMs } = answer;
  addTiming(outcome.timings, 'download_ms', endedMs - headMs);
  outcome.bytes = bytes;
  outcome.facts = { grpc: { status, code } };
  outcome.refusesToken = code === unauthenticated;
  const isAsserted = attempt.assertions.some(({ type }) => type === 'grpc_status');
  if (!isAsserted && status !== 'SERVING') throw new ProbeRefusal('not_serving', reasonOf(answer));
  outcome.response = plainResponse({ facts: outcome.facts });
  return endedMs;
};

function reasonOf({ status, code, message }: HealthAnswer): string {
  if (code !== 0) return `answered, but not serving: ${describeCode(code, message)}`;
  return `answered, but not serving: ${status ?? 'a status that this agent does not know'}`;
}
