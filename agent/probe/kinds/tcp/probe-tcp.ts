import type { TcpCheck } from '#shared/checks/check.ts';
import { addTiming } from '../../attempt.ts';
import { connect } from '../../connect.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';
import { closeGently } from '../close-gently.ts';
import { type KindProbe, plainResponse } from '../kind.ts';
import { readReply } from './read-reply.ts';
import { untilDecided } from './until-decided.ts';

/** Connects, sends what is to be sent and, if asked to, waits for an answer of at least one byte. */
export const probeTcp: KindProbe<TcpCheck> = async ({ host, port, send, read }, attempt) => {
  const { egress, tools, deadline, outcome, takeBytes } = attempt;
  const { socket } = await connect({ host, port, secure: false }, egress, tools, deadline, outcome);
  const connectedMs = performance.now();
  if (!read) {
    closeGently(socket, send);
    outcome.response = plainResponse();
    return connectedMs;
  }
  outcome.phase = 'answer';
  const options = {
    send,
    takeBytes,
    isEnough: untilDecided(attempt),
    eventMs: () => tools.standStill.eventMs(),
  };
  const { text, bytes, truncated, firstByteMs, lastByteMs } = await readReply(socket, options, deadline);
  if (firstByteMs === null) throw new ProbeRefusal('no_reply', 'connected, but no byte came');
  addTiming(outcome.timings, 'first_byte_ms', firstByteMs - connectedMs);
  addTiming(outcome.timings, 'download_ms', lastByteMs - firstByteMs);
  Object.assign(outcome, { bytes, truncated, response: plainResponse({ bodyText: text, truncated }) });
  return firstByteMs;
};
